// Arranges a list of items in lines of a given width. A group of items that fits stays on one line; any other group is
// broken at its items of kind `line`. The algorithm follows D. C. Oppen, "Prettyprinting" (1980). Each decision looks
// ahead at most one line, so that the time is proportional to the length of the text. There is no recursion.

export type Item =
  /**
   * Text to print. A text with the flag `long` never causes its group to be broken, because its line is likely to be
   * too long even when the group is broken.
   */
  | { readonly kind: "text"; readonly text: string; readonly long?: boolean }
  /**
   * A comment of the script, which is always the last item of its line. Its width is ignored when the layout decides
   * whether the line is too long.
   */
  | { readonly kind: "comment"; readonly text: string }
  /**
   * A possible line break. It is printed as a line break when its group is broken, otherwise as the text `flat`. With
   * `fill`, it is printed as a line break only when the items up to the next possible break do not fit on the line.
   */
  | ({ readonly kind: "line"; readonly flat: "" | " "; readonly fill?: boolean } & Break)
  /** A line break that is made whether or not its group fits on one line. */
  | ({ readonly kind: "hard"; readonly blank?: boolean } & Break)
  /**
   * Starts a group. When `indented` is `block`, the group is indented one level more than the surrounding group; when
   * it is `bracket`, one level more than the line on which the group starts.
   */
  | { readonly kind: "open"; readonly indented: "no" | "block" | "bracket" }
  | { readonly kind: "close" };

interface Break {
  /**
   * Whether the next line begins with a closing bracket. If so, the line has the indentation of the surrounding
   * group.
   */
  readonly closing?: boolean;
  /** Levels of indentation of the new line, in addition to the indentation of the group. */
  readonly more?: number;
}

export interface Measure {
  /** Largest number of columns in a line. */
  readonly width: number;
  /** Number of columns by which one level of indentation moves the text. */
  readonly indent: number;
  /** Largest number of levels by which a line is indented; deeper lines are indented by the same number of levels. */
  readonly maxLevels: number;
}

interface Group {
  readonly broken: boolean;
  readonly outer: number;
  readonly inner: number;
}

export function layOut(items: readonly Item[], { width, indent, maxLevels }: Measure): string {
  const parts: string[] = [];
  const groups: Group[] = [{ broken: true, outer: 0, inner: 0 }];
  let column = 0;
  /** Indentation of the current line, in levels. */
  let levels = 0;
  const newline = ({ closing = false, more = 0 }: Break, blank = false) => {
    const { inner, outer } = groups.at(-1)!;
    levels = closing ? outer : inner + more;
    column = Math.min(levels, maxLevels) * indent;
    parts.push(blank ? "\n\n" : "\n", " ".repeat(column));
  };
  for (let at = 0; at < items.length; at++) {
    const item = items[at]!;
    const group = groups.at(-1)!;
    switch (item.kind) {
      case "text": {
        parts.push(item.text);
        const lastLine = item.text.lastIndexOf("\n");
        column = lastLine < 0 ? column + item.text.length : item.text.length - lastLine - 1;
        break;
      }
      case "comment":
        parts.push(item.text);
        break;
      case "line":
        if (group.broken && (item.fill !== true || !fits(items, at + 1, 0, width - column - item.flat.length)))
          newline(item);
        else {
          parts.push(item.flat);
          column += item.flat.length;
        }
        break;
      case "hard":
        newline(item, item.blank);
        break;
      case "open": {
        const outer = item.indented === "bracket" ? levels : group.inner;
        const broken = group.broken && !fits(items, at + 1, 1, width - column);
        groups.push({ broken, outer, inner: item.indented === "no" ? outer : outer + 1 });
        break;
      }
      case "close":
        groups.pop();
        break;
    }
  }
  return parts.join("");
}

/**
 * Returns whether the items from index `at` up to the next possible line break fit in `room` columns. Possible
 * line breaks inside groups are ignored, both in the last `depth` groups that opened before index `at` and in
 * groups that open later.
 */
function fits(items: readonly Item[], at: number, depth: number, room: number): boolean {
  for (; at < items.length && room >= 0; at++) {
    const item = items[at]!;
    switch (item.kind) {
      case "text": {
        if (item.long === true) break;
        const end = item.text.indexOf("\n");
        room -= end < 0 ? item.text.length : end;
        break;
      }
      case "line":
        if (depth <= 0) return true;
        room -= item.flat.length;
        break;
      case "comment":
      case "hard":
        return depth <= 0;
      case "open":
        depth++;
        break;
      case "close":
        depth--;
        break;
    }
  }
  return room >= 0;
}

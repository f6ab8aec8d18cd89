// Arranges a list of items in lines of a given width: a group that fits stays on one line, any other is broken at its
// line items. After D. C. Oppen, "Prettyprinting" (1980). Each decision looks ahead at most one line, so that the time
// is proportional to the text, and nothing recurses.

export type Item =
  /** Text. With `long` its width breaks no group, because it would exceed the line anyway. */
  | { readonly kind: "text"; readonly text: string; readonly long?: boolean }
  /** A comment, which ends its line; its width does not count. */
  | { readonly kind: "comment"; readonly text: string }
  /** A line break when the group is broken (with `fill`: when what follows does not fit), else `flat`. */
  | ({ readonly kind: "line"; readonly flat: "" | " "; readonly fill?: boolean } & Break)
  /** A line break in any case. */
  | ({ readonly kind: "hard"; readonly blank?: boolean } & Break)
  /** Starts a group. `block` indents one level more than the group around it; `bracket` one level more than its line. */
  | { readonly kind: "open"; readonly indented: "no" | "block" | "bracket" }
  | { readonly kind: "close" };

interface Break {
  /** Whether the line starts at the indentation around the group. */
  readonly closing?: boolean;
  /** Levels in addition to the group's own. */
  readonly more?: number;
}

export interface Measure {
  /** Columns in a line. */
  readonly width: number;
  /** Columns for a level of indentation. */
  readonly indent: number;
  /** Most levels; deeper levels have the same indentation. */
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

/** Returns whether the items from `at`, with `depth` open groups, fit in `room` columns up to the next possible line break. */
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

// Parses the search language of query_string() (docs/reference/query.md#filters). A search consists of words,
// "phrases", /regular expressions/, AND, OR, NOT, `-`, parentheses and field:term. Every other character is read
// as part of a word.

export type SearchTerm =
  | { readonly kind: "phrase"; readonly text: string }
  | { readonly kind: "word"; readonly text: string }
  /** A pattern that is compared with whole words; `*` stands for any characters and `?` for one character. */
  | { readonly kind: "glob"; readonly text: string }
  | { readonly kind: "regex"; readonly source: string };

export type SearchTree =
  | { readonly kind: "and" | "or"; readonly parts: readonly SearchTree[] }
  | { readonly kind: "not"; readonly part: SearchTree }
  | { readonly kind: "in"; readonly field: string; readonly part: SearchTree }
  | SearchTerm;

type Token =
  | { readonly kind: "(" | ")" | "," | "-" | "AND" | "OR" | "NOT" | "field"; readonly text: string }
  | { readonly kind: "term"; readonly text: string; readonly term: SearchTerm };

const everything: SearchTree = { kind: "and", parts: [] };

/** Parses a search string of query_string(). The empty string matches everything. */
export function parseSearch(text: string): SearchTree {
  const tokens = tokensOf(text);
  let at = 0;
  const parts: SearchTree[] = [];
  // A closing parenthesis without an opening one is ignored.
  while (at < tokens.length) {
    parts.push(or());
    if (tokens[at]?.kind === ")") at++;
  }
  return joined("and", parts);

  function or(): SearchTree {
    const parts = [and()];
    while (tokens[at]?.kind === "OR") {
      at++;
      parts.push(and());
    }
    return joined("or", parts);
  }

  function and(): SearchTree {
    const parts: SearchTree[] = [];
    for (;;) {
      const kind = tokens[at]?.kind;
      if (kind === undefined || kind === ")" || kind === "OR") return joined("and", parts);
      if (kind === "AND" || kind === ",") at++;
      else parts.push(unary());
    }
  }

  function unary(): SearchTree {
    const token = tokens[at++]!;
    switch (token.kind) {
      case "NOT":
      case "-":
        return at < tokens.length ? { kind: "not", part: unary() } : everything;
      case "(": {
        const inner = or();
        if (tokens[at]?.kind === ")") at++;
        return inner;
      }
      case "field":
        return at < tokens.length ? { kind: "in", field: token.text, part: unary() } : everything;
      case "term":
        return token.term;
      default:
        return everything;
    }
  }
}

function joined(kind: "and" | "or", parts: readonly SearchTree[]): SearchTree {
  return parts.length === 1 ? parts[0]! : { kind, parts };
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < text.length; ) {
    const character = text[at]!;
    if (/\s/.test(character)) at++;
    else if (character === "(" || character === ")" || character === ",") {
      tokens.push({ kind: character, text: character });
      at++;
    } else if (character === "-" && /\S/.test(text[at + 1] ?? " ")) {
      tokens.push({ kind: "-", text: character });
      at++;
    } else if (character === '"' || character === "/") {
      const end = closing(text, at + 1, character);
      const inner = text.slice(at + 1, end);
      const term: SearchTerm =
        character === '"' ? { kind: "phrase", text: unescaped(inner) } : { kind: "regex", source: inner };
      tokens.push({ kind: "term", text: inner, term });
      at = end + 1;
    } else {
      const raw = /^(?:\\.|[^\s(),:"\\]|\\$)+/s.exec(text.slice(at))?.[0];
      if (raw === undefined) {
        at++;
        continue;
      }
      at += raw.length;
      if (text[at] === ":") {
        tokens.push({ kind: "field", text: unescaped(raw) });
        at++;
      } else if (raw === "AND" || raw === "OR" || raw === "NOT") tokens.push({ kind: raw, text: raw });
      else tokens.push({ kind: "term", text: raw, term: wordOf(raw) });
    }
  }
  return tokens;
}

function wordOf(raw: string): SearchTerm {
  const isGlob = /(?:^|[^\\])[*?]/.test(raw);
  return isGlob ? { kind: "glob", text: raw } : { kind: "word", text: unescaped(raw) };
}

/**
 * Returns the offset of the quote that closes the quote opened at `from`, or the end of the text when the quote
 * is not closed.
 */
function closing(text: string, from: number, quote: string): number {
  for (let at = from; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === quote) return at;
  }
  return text.length;
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/gs, "$1");
}

// Parses a grammar in EBNF (ISO 14977) and checks whether a text matches one of its rules. In the text, one
// character stands for one byte. The matcher follows all possible ways to parse the text at once, so the order
// of alternatives in a rule does not matter.

type Rule =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "name"; readonly name: string }
  /**
   * A special sequence `? ... ?` of the grammar. Its text is `byte 0xNN`, `any byte`, or a description. For a
   * description, the caller of the matcher provides the code that matches it.
   */
  | { readonly kind: "special"; readonly what: string }
  | { readonly kind: "all" | "one" | "but"; readonly parts: readonly Rule[] }
  | { readonly kind: "repeated" | "optional"; readonly part: Rule };

export interface Grammar {
  readonly rules: ReadonlyMap<string, Rule>;
}

export function readGrammar(text: string): Grammar {
  const tokens =
    text.replace(/\(\*.*?\*\)/gs, " ").match(/"[^"]*"|\?[^?]*\?|[a-z][a-z0-9 ]*[a-z0-9]|[a-z]|[^\s]/gi) ?? [];
  let at = 0;
  const eat = (token: string): boolean => tokens[at] === token && ++at > 0;
  const need = (token: string): void => {
    if (!eat(token)) throw new Error(`${token} expected, not ${tokens[at]}`);
  };
  const list = (separator: string, kind: "all" | "one", part: () => Rule): Rule => {
    const parts = [part()];
    while (eat(separator)) parts.push(part());
    return parts.length === 1 ? parts[0]! : { kind, parts };
  };
  const bracketed = (close: string): Rule => {
    const inner = alternatives();
    need(close);
    return inner;
  };
  const primary = (): Rule => {
    if (eat("(")) return bracketed(")");
    if (eat("[")) return { kind: "optional", part: bracketed("]") };
    if (eat("{")) return { kind: "repeated", part: bracketed("}") };
    const token = tokens[at++]!;
    if (token.startsWith('"')) return { kind: "text", text: token.slice(1, -1) };
    if (token.startsWith("?")) return { kind: "special", what: token.slice(1, -1).trim() };
    return { kind: "name", name: token };
  };
  const factor = (): Rule => {
    const part = primary();
    return eat("-") ? { kind: "but", parts: [part, primary()] } : part;
  };
  const alternatives = (): Rule => list("|", "one", () => list(",", "all", factor));
  const rules = new Map<string, Rule>();
  while (at < tokens.length) {
    const name = tokens[at++]!;
    need("=");
    rules.set(name, alternatives());
    need(";");
  }
  return { rules };
}

/**
 * Returns whether the whole text matches the rule `name`. The function `special` matches the special sequences
 * other than `byte` and `any byte`: it returns the offsets at which such a sequence may end.
 */
export function isMeant(
  { rules }: Grammar,
  name: string,
  text: string,
  special: (what: string, text: string, from: number) => readonly number[],
): boolean {
  const known = new Map<Rule, Map<number, readonly number[]>>();
  const ends = (rule: Rule, from: number): readonly number[] => {
    let its = known.get(rule);
    if (its === undefined) known.set(rule, (its = new Map()));
    let found = its.get(from);
    if (found === undefined) its.set(from, (found = [...new Set(endsOf(rule, from))]));
    return found;
  };
  const endsOf = (rule: Rule, from: number): readonly number[] => {
    switch (rule.kind) {
      case "text":
        return text.startsWith(rule.text, from) ? [from + rule.text.length] : [];
      case "name":
        return ends(ruleOf(rules, rule.name), from);
      case "special": {
        const byte = /^0x([0-9A-F]{2})$/.exec(rule.what);
        if (byte !== null) return text.charCodeAt(from) === Number.parseInt(byte[1]!, 16) ? [from + 1] : [];
        if (rule.what === "any byte") return from < text.length ? [from + 1] : [];
        return special(rule.what, text, from);
      }
      case "one":
        return rule.parts.flatMap((part) => ends(part, from));
      case "all":
        return rule.parts.reduce<readonly number[]>(
          (starts, part) => [...new Set(starts.flatMap((start) => ends(part, start)))],
          [from],
        );
      case "but": {
        const [part, without] = rule.parts as [Rule, Rule];
        const not = ends(without, from);
        return ends(part, from).filter((end) => !not.includes(end));
      }
      case "optional":
        return [from, ...ends(rule.part, from)];
      case "repeated": {
        const reached = new Set([from]);
        for (const start of reached) for (const end of ends(rule.part, start)) reached.add(end);
        return [...reached];
      }
    }
  };
  return ends(ruleOf(rules, name), 0).includes(text.length);
}

function ruleOf(rules: Grammar["rules"], name: string): Rule {
  const rule = rules.get(name);
  if (rule === undefined) throw new Error(`no rule ${name}`);
  return rule;
}

// The path language of `gjson`: members, indexes, wildcards, queries over lists, pipes and some modifiers
// (functions document 3.27). A path is compiled once to steps over source text.

import { elementsOf, firstValue, membersOf, type Raw, stringText, valuesOf } from "./json-scan.ts";

/** Undefined: nothing there. */
type Step = (raw: Raw) => Raw | undefined;

const NOTHING: Step = () => undefined;

/** The source text of what the path leads to. */
export function compilePath(path: string): Step {
  if (path.startsWith("..")) {
    const rest = path.slice(2);
    const step = rest === "" ? NOTHING : compileSteps(rest.replace(/^[.|]/, ""));
    return (text) => step(`[${valuesOf(text).join(",")}]`);
  }
  const step = compileSteps(path);
  return (text) => step(firstValue(text));
}

function compileSteps(path: string): Step {
  const end = componentEnd(path);
  const component = path.slice(0, end);
  const separator = path[end];
  const rest = path.slice(end + 1);
  if (component === "") return NOTHING;
  if (component.startsWith("#")) return compileHash(component, separator, rest);
  const step = component.startsWith("@") ? modifier(component) : member(component);
  if (separator === undefined) return step;
  const next = compileSteps(rest);
  return (raw) => {
    const found = step(raw);
    return found === undefined ? undefined : next(found);
  };
}

/** The end of the first component: an unescaped dot or pipe outside parentheses and quotes. */
function componentEnd(path: string, stops = ".|"): number {
  let depth = 0;
  for (let i = 0; i < path.length; i++) {
    const c = path[i] as string;
    if (c === "\\") i++;
    else if (c === '"' && depth > 0) {
      for (i++; i < path.length && path[i] !== '"'; i++) if (path[i] === "\\") i++;
    } else if (c === "(") depth++;
    else if (c === ")") depth--;
    else if (depth <= 0 && stops.includes(c)) return i;
  }
  return path.length;
}

function member(component: string): Step {
  const index = /^\d+$/.test(component) ? Number(component) : -1;
  const name = component.replace(/\\(.)/gs, "$1");
  const wild = /(?:^|[^\\])(?:\\\\)*[*?]/.test(component) ? wildcard(component) : null;
  return (raw) => {
    if (raw.startsWith("[")) return index < 0 ? undefined : elementsOf(raw)[index];
    if (!raw.startsWith("{")) return undefined;
    for (const [key, value] of membersOf(raw)) if (wild === null ? key === name : wild(key)) return value;
    return undefined;
  };
}

/** `*` is any text, `?` any character, `\` takes the next as it is. Linear: only the last `*` is tried again. */
export function wildcard(pattern: string): (text: string) => boolean {
  const tokens = Array.from(pattern.matchAll(/\\(.)|(.)/gsu), (match) =>
    match[1] !== undefined
      ? { literal: match[1] }
      : match[2] === "*"
        ? "*"
        : match[2] === "?"
          ? "?"
          : { literal: match[2] },
  );
  return (text) => {
    const characters = [...text];
    let [t, p, star, resume] = [0, 0, -1, 0];
    while (t < characters.length) {
      const token = tokens[p];
      if (token === "*") {
        star = p++;
        resume = t;
      } else if (token === "?" || (typeof token === "object" && token.literal === characters[t])) {
        t++;
        p++;
      } else if (star >= 0) {
        p = star + 1;
        t = ++resume;
      } else return false;
    }
    while (tokens[p] === "*") p++;
    return p === tokens.length;
  };
}

/** `#`, `#(cond)` and `#(cond)#` with what follows them. */
function compileHash(component: string, separator: string | undefined, rest: string): Step {
  if (component === "#") {
    if (separator === ".") return each(rest, () => true);
    const count: Step = (raw) => (raw.startsWith("[") ? String(elementsOf(raw).length) : undefined);
    return separator === undefined ? count : piped(count, rest);
  }
  const query = /^#\((.*)\)(#?)$/s.exec(component);
  if (query === null) return NOTHING;
  const holds = condition(query[1] as string);
  if (query[2] === "#") {
    if (separator === ".") return each(rest, holds);
    const all: Step = (raw) => (raw.startsWith("[") ? `[${elementsOf(raw).filter(holds).join(",")}]` : undefined);
    return separator === undefined ? all : piped(all, rest);
  }
  const first: Step = (raw) => (raw.startsWith("[") ? elementsOf(raw).find(holds) : undefined);
  return separator === undefined ? first : piped(first, rest);
}

function piped(step: Step, rest: string): Step {
  const next = compileSteps(rest);
  return (raw) => {
    const found = step(raw);
    return found === undefined ? undefined : next(found);
  };
}

/** Applies the path up to the next pipe to the elements; those that have nothing there are left out. */
function each(rest: string, holds: (raw: Raw) => boolean): Step {
  const end = componentEnd(rest, "|");
  const inner = compileSteps(rest.slice(0, end));
  const list: Step = (raw) => {
    if (!raw.startsWith("[")) return undefined;
    const found: Raw[] = [];
    for (const element of elementsOf(raw)) {
      const value = holds(element) ? inner(element) : undefined;
      if (value !== undefined) found.push(value);
    }
    return `[${found.join(",")}]`;
  };
  return end === rest.length ? list : piped(list, rest.slice(end + 1));
}

function condition(text: string): (raw: Raw) => boolean {
  const at = componentEnd(text, "=!<>%");
  const path = text.slice(0, at).trim();
  const step = path === "" ? (raw: Raw) => raw : compileSteps(path);
  const operator = /^(?:==|=|!=|<=|<|>=|>|!%|%)/.exec(text.slice(at))?.[0] ?? "";
  if (operator === "") return (raw) => step(raw) !== undefined;
  const wanted = text.slice(at + operator.length).trim();
  if (wanted.startsWith("~")) {
    const loosely = LOOSE[wanted.slice(1)];
    if (loosely === undefined) return () => false;
    const compare = comparison(operator, "true");
    return (raw) => compare(loosely(step(raw)) ? "true" : "false");
  }
  const compare = comparison(operator, wanted.startsWith('"') ? stringText(wanted) : wanted);
  return (raw) => {
    const value = step(raw);
    return value !== undefined && compare(value);
  };
}

function scalarText(raw: Raw): string {
  return raw.startsWith('"') ? stringText(raw).toLowerCase() : raw;
}

const LOOSE: Readonly<Record<string, (raw: Raw | undefined) => boolean>> = {
  "*": (raw) => raw !== undefined,
  null: (raw) => raw === undefined || raw === "null",
  true: (raw) => raw !== undefined && /^(?:true|t|1)$/.test(scalarText(raw)),
  false: (raw) => raw === undefined || raw === "null" || /^(?:false|f|0)$/.test(scalarText(raw)),
};

function comparison(operator: string, wanted: string): (raw: Raw) => boolean {
  const like = operator.endsWith("%") ? wildcard(wanted) : null;
  const number = Number(wanted);
  const ordered = (order: number): boolean => {
    switch (operator) {
      case "=":
      case "==":
        return order === 0;
      case "!=":
        return order !== 0;
      case "<":
        return order < 0;
      case "<=":
        return order <= 0;
      case ">":
        return order > 0;
      default:
        return operator === ">=" && order >= 0;
    }
  };
  return (raw) => {
    if (raw.startsWith('"')) {
      const text = stringText(raw);
      if (like !== null) return like(text) === (operator === "%");
      return ordered(text < wanted ? -1 : text > wanted ? 1 : 0);
    }
    if (like !== null) return false;
    if (/^[-0-9]/.test(raw)) return ordered(Number(raw) - (Number.isNaN(number) ? 0 : number));
    if (raw === "true" || raw === "false") {
      if (wanted !== "true" && wanted !== "false") return operator === "!=" || (operator === ">=" && raw === "true");
      return ordered(Number(raw === "true") - Number(wanted === "true"));
    }
    return false;
  };
}

function entries(raw: Raw): (readonly [name: string, value: Raw])[] {
  return raw.startsWith("{") ? [...membersOf(raw)] : [];
}

const MODIFIERS: Readonly<Record<string, Step>> = {
  this: (raw) => raw,
  reverse: (raw) => {
    if (raw.startsWith("[")) return `[${elementsOf(raw).reverse().join(",")}]`;
    if (!raw.startsWith("{")) return raw;
    const pairs = entries(raw).map(([name, value]) => `${JSON.stringify(name)}:${value}`);
    return `{${pairs.reverse().join(",")}}`;
  },
  keys: (raw) =>
    `[${entries(raw)
      .map(([name]) => JSON.stringify(name))
      .join(",")}]`,
  values: (raw) =>
    raw.startsWith("[")
      ? raw
      : `[${entries(raw)
          .map(([, value]) => value)
          .join(",")}]`,
  flatten: (raw) => {
    if (!raw.startsWith("[")) return raw;
    const inner = elementsOf(raw).flatMap((element) => (element.startsWith("[") ? elementsOf(element) : [element]));
    return `[${inner.join(",")}]`;
  },
  tostr: (raw) => JSON.stringify(raw),
  fromstr: (raw) => (raw.startsWith('"') ? firstValue(stringText(raw)) : undefined),
};

function modifier(component: string): Step {
  const name = component.slice(1);
  return Object.hasOwn(MODIFIERS, name) ? (MODIFIERS[name] as Step) : NOTHING;
}

// The path language of `gjson`: members, indexes, wildcards, queries over lists, pipes, multipaths, literals and
// modifiers (docs/reference/functions.md#gjson). A path is compiled once to a chain of functions ("steps") that take
// and return JSON source text.

import { modifier } from "./json-modifiers.ts";
import { elementsOf, firstValue, membersOf, type Raw, type Step, stringText, valuesOf } from "./json-scan.ts";

const NOTHING: Step = () => undefined;

/**
 * Compiles a path to a "step": a function that takes the source text of a JSON value and returns the source text of the
 * inner value at the path.
 */
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
  switch (path[0]) {
    case "@":
      return modified(path);
    case "!":
      return literal(path);
    case "{":
    case "[":
      return selected(path);
  }
  const end = componentEnd(path);
  const component = path.slice(0, end);
  const separator = path[end];
  const rest = path.slice(end + 1);
  if (component === "") return NOTHING;
  if (component.startsWith("#")) return compileHash(component, separator, rest);
  return followed(member(component), path.slice(end));
}

/**
 * Returns a step (a function that takes JSON text and returns JSON text) that applies `step` and then `rest`,
 * the remainder of the path. `rest` is empty or begins with a dot or a pipe.
 */
function followed(step: Step, rest: string): Step {
  if (rest === "") return step;
  return /^[.|]/.test(rest) ? piped(step, rest.slice(1)) : NOTHING;
}

/**
 * Returns the offset at which the path's first component ends: the first unescaped dot or pipe outside of
 * brackets and quotes.
 */
function componentEnd(path: string, stops = ".|"): number {
  let depth = 0;
  for (let i = 0; i < path.length; i++) {
    const c = path[i] as string;
    // A brace or square bracket opens a group only as the first character of a name; later in a name it is an ordinary
    // character.
    const opens = c === "(" || ((c === "{" || c === "[") && (depth > 0 || i === 0 || /[.|]/.test(path[i - 1]!)));
    if (c === "\\") i++;
    else if (c === '"' && depth > 0) {
      for (i++; i < path.length && path[i] !== '"'; i++) if (path[i] === "\\") i++;
    } else if (opens) depth++;
    else if (c === ")" || (depth > 0 && (c === "}" || c === "]"))) depth--;
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

/**
 * Compiles a wildcard: `*` matches any text, `?` matches any character, and `\` makes the next character
 * literal. After a mismatch, matching continues only from the last `*`. So the time is at most proportional to
 * the length of the text times the length of the pattern.
 */
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

/** Compiles the operations on lists `#`, `#(cond)` and `#(cond)#`, together with the remainder of the path. */
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

/**
 * Returns a step (a function that takes JSON text and returns JSON text) for lists. The step applies the path
 * `rest`, up to its next pipe, to each element for which `holds` returns true, and returns the list of the
 * results. Elements without a result are left out.
 */
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

/** Compiles `@name` or `@name:argument`; the argument ends at its closing bracket or quote, else at the next pipe. */
function modified(path: string): Step {
  const [head = "", name = ""] = /^@([^:.|]*)/.exec(path) ?? [];
  let rest = path.slice(head.length);
  let argument = "";
  if (rest.startsWith(":")) {
    rest = rest.slice(1);
    argument = /^[{["]/.test(rest) ? firstValue(rest) : rest.split("|", 1)[0]!;
    rest = rest.slice(argument.length);
  }
  return followed(modifier(name, argument, compileSteps) ?? NOTHING, rest);
}

/** Compiles a literal of the path language: `!` followed by a JSON value, which becomes the result. */
function literal(path: string): Step {
  const rest = path.slice(1);
  const value = /^[{["]/.test(rest)
    ? firstValue(rest)
    : /^(?:[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|(?:true|false|null)(?![^.|]))/.exec(rest)?.[0];
  if (value === undefined) return NOTHING;
  return followed(() => value, rest.slice(value.length));
}

/**
 * Compiles a multipath such as `{a,"name":b.c}` or `[a,b.c]`. Its result is an object or list with the results of the
 * inner paths; an inner path without a result is left out.
 */
function selected(path: string): Step {
  const end = bracketEnd(path);
  if (end < 0) return NOTHING;
  const isObject = path.startsWith("{");
  const parts = selectors(path.slice(1, end)).map(({ name, path: inner }) => ({
    key: name ?? JSON.stringify(lastName(inner)),
    step: compileSteps(inner),
  }));
  const select: Step = (raw) => {
    const found = parts.flatMap(({ key, step }) => {
      const value = step(raw);
      return value === undefined ? [] : [isObject ? `${key}:${value}` : value];
    });
    return isObject ? `{${found.join(",")}}` : `[${found.join(",")}]`;
  };
  return followed(select, path.slice(end + 1));
}

/** Returns the offset at which the bracket that starts the path is closed; -1 when it is not closed. */
function bracketEnd(path: string): number {
  let depth = 0;
  for (let i = 0; i < path.length; i++) {
    const c = path[i]!;
    if (c === "\\") i++;
    else if (c === '"') for (i++; i < path.length && path[i] !== '"'; i++) i += path[i] === "\\" ? 1 : 0;
    else if ("([{".includes(c)) depth++;
    else if (")]}".includes(c) && --depth === 0) return i;
  }
  return -1;
}

interface Selector {
  /**
   * For an element of a multipath such as `{a,"name":b.c}`: the key of the element's result in the object, as JSON text
   * (here `"name"`). Undefined for an element without a key of its own; the last name of `path` is then the key.
   */
  readonly name: string | undefined;
  readonly path: string;
}

/**
 * Splits a multipath at its commas, and each element at the colon after its key. A colon after the name of a modifier
 * does not end a key.
 */
function selectors(text: string): Selector[] {
  const found: Selector[] = [];
  let [start, colon, depth, isModifier] = [0, -1, 0, false];
  const push = (end: number): void => {
    const key = colon < 0 ? undefined : text.slice(start, colon).trim();
    const name = key?.startsWith('"') ? JSON.stringify(stringText(key)) : key && JSON.stringify(key);
    found.push({ name, path: text.slice(Math.max(start, colon + 1), end).trim() });
    [start, colon, isModifier] = [end + 1, -1, false];
  };
  for (let i = 0; i < text.length; i++) {
    const c = text[i]!;
    if (c === "\\") i++;
    else if (c === '"') for (i++; i < text.length && text[i] !== '"'; i++) i += text[i] === "\\" ? 1 : 0;
    else if ("([{".includes(c)) depth++;
    else if (")]}".includes(c)) depth--;
    else if (depth > 0) continue;
    else if (c === "@") isModifier = true;
    else if (c === ":" && !isModifier && colon < 0) colon = i;
    else if (c === ",") push(i);
  }
  if (text.trim() !== "") push(text.length);
  return found;
}

/** Returns the last name of a path; `_` when the path does not end with a plain name. */
function lastName(path: string): string {
  const name = /(?:^|[^\\][.|])((?:\\.|[^.|\\])*)$/s.exec(path)?.[1] ?? path;
  return /[[\]{}()#|!\p{Cc}]/u.test(name) ? "_" : name;
}

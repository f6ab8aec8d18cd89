// Guesses the name of a field from the kind of the value and from the text around it. Each rule returns a name or null;
// the first name is used.

import type { Choice, Draft } from "./pieces.ts";
import { isLevels } from "./segment.ts";
import { classify } from "./tokens.ts";

/** The facts about a value and its line from which the rules guess a field name. */
interface Context {
  readonly kind: string;
  readonly draft: Draft;
  /** The literal text directly before the value, and the literal text directly after it. */
  readonly before: string;
  readonly behind: string;
  /** Names of the fields to the left of the value that needs a name, the nearest first. */
  readonly names: readonly string[];
  /** Kinds (such as `ip` or `int`) of the values to the left of the value that needs a name, the nearest first. */
  readonly kinds: readonly string[];
  /** Whether no value to the right of the value that needs a name is in quotes or brackets. */
  readonly isLastQuoted: boolean;
  readonly isFirst: boolean;
  /** Kind (such as `ip` or `int`) of the next value to the right of the value that needs a name. */
  readonly nextKind: string;
  /** Whether the line contains an HTTP method such as GET. */
  readonly hasMethod: boolean;
  readonly isLast: boolean;
  /**
   * Whether the line has a date in the form of access logs (`dd/MMM/yyyy`) to the right of the value that needs a
   * name.
   */
  readonly accessFollows: boolean;
  readonly has: (name: string) => boolean;
}

/** Words that often precede a value, each with the name of the field for this value. */
const WORDS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    port: "port",
    pid: "pid",
    tid: "tid",
    thread: "thread",
    user: "user",
    client: "client",
    server: "server",
    host: "host",
    request: "request",
    session: "session",
    duration: "duration",
    took: "duration",
    in: "duration",
    line: "line",
    status: "status",
    completed: "status",
    id: "id",
    for: "user",
    from: "client",
  }),
);

const RULES: readonly ((context: Context) => string | null)[] = [
  ({ before }) => /([A-Za-z_@][\w.@-]*)=["'[({]?$/.exec(before)?.[1] ?? null,
  ({ before }) => /"([^"\s]+)":\s*["[{]?$/.exec(before)?.[1] ?? null,
  ({ kind, draft }) => (kind === "date" && draft.choices[draft.choice]?.text.endsWith("dd") ? "date" : null),
  ({ kind }) => (kind === "date" ? "time" : null),
  ({ kind, isFirst, draft }) => (kind === "float" && isFirst && /^\d{10}\./.test(draft.texts[0] ?? "") ? "time" : null),
  ({ kind }) => (kind === "level" || kind === "method" ? kind : null),
  ({ kind }) => (kind === "letter" ? "level" : null),
  ({ kind, draft, has }) =>
    kind === "word" && !has("level") && isLevels(draft.texts.map((text) => ({ kind: classify(text) })))
      ? "level"
      : null,
  ({ kind, kinds, before }) =>
    kinds[0] === "method" && /^\s+$/.test(before) && /^(?:path|uri|token)$/.test(kind)
      ? kind === "uri"
        ? "uri"
        : "path"
      : null,
  ({ before }) => (before.endsWith("HTTP/") ? "http_version" : null),
  // Rules that name the fields of access logs, in which status and size follow the request, and then the referrer and
  // the user agent.
  ({ kind, names, before }) =>
    kind === "int" && /^(?:http_version|path|uri|method|request)$/.test(names[0] ?? "") && before.includes('"')
      ? "status"
      : null,
  ({ kind, names, draft }) =>
    kind === "int" && names[0] === "status" && draft.texts.some((text) => text.length > 2) ? "bytes" : null,
  ({ draft, before, has, isLastQuoted }) =>
    draft.enclosed && before.endsWith('"') && has("method") && isLastQuoted ? "agent" : null,
  ({ before, has, names }) =>
    before.endsWith('"') &&
    has("status") &&
    has("method") &&
    !has("referrer") &&
    /^(?:bytes|status)$/.test(names[0] ?? "")
      ? "referrer"
      : null,
  ({ isFirst, accessFollows, kind }) =>
    isFirst && accessFollows && /^(?:ip|iporhost|host)$/.test(kind) ? "client" : null,
  ({ accessFollows, names, before }) => (accessFollows && names[0] === "client" && before === " - " ? "user" : null),
  ({ accessFollows, names, before }) => (accessFollows && names[0] === "client" && before === " " ? "ident" : null),
  ({ accessFollows, names }) => (accessFollows && names[0] === "ident" ? "user" : null),
  // Rules that name the fields of syslog lines, such as `<priority>version date host program[pid]`.
  ({ isFirst, before, behind }) => (isFirst && before === "<" && behind.startsWith(">") ? "priority" : null),
  ({ kind, names, before, behind, draft }) =>
    names[0] === "time" &&
    /^\s+$/.test(before) &&
    /^\s+$/.test(behind) &&
    !draft.texts.join("").includes("/") &&
    /^(?:word|token|host|iporhost|ip)$/.test(kind) &&
    names.length < 4
      ? "host"
      : null,
  ({ kind, behind, has }) => (/^(?:word|token)$/.test(kind) && behind === "[" && !has("program") ? "program" : null),
  ({ kind, before, names }) => (kind === "int" && before === "[" && names[0] === "program" ? "pid" : null),
  ({ kind, names, behind }) =>
    /^(?:word|token|text)$/.test(kind) && names[0] === "host" && /^[: ]/.test(behind) ? "program" : null,
  ({ kind, hasMethod, draft, has }) =>
    kind === "int" && hasMethod && !has("status") && most(draft.texts, (text) => STATUS.test(text)) ? "status" : null,
  ({ kind, draft }) =>
    kind === "int" && draft.texts.every((text) => /^(?:80|443|8080|8443)$/.test(text)) ? "port" : null,
  ({ kind, behind, isFirst, names }) =>
    kind === "int" && (behind === "#" || (isFirst && behind === ":")) && !names.includes("pid") ? "pid" : null,
  ({ kind, behind, nextKind }) => (kind === "word" && behind === ":" && nextKind === "level" ? "module" : null),
  ({ draft }) => (draft.enclosed && draft.texts.every((text) => /^[A-Z]+-?\d+$/.test(text)) ? "code" : null),
  ({ kind, before, names }) => (kind === "int" && before.endsWith("[") && names[0] === "time" ? "pid" : null),
  // Derives the name of a field from the word directly before its value.
  ({ before, kind }) => {
    const word = /([A-Za-z_]+)[ :#]+["'([]?$/.exec(before)?.[1]?.toLowerCase();
    const name = word === undefined ? undefined : WORDS.get(word);
    if (name === "client" && !/^(?:ip|iporhost|host|token)$/.test(kind)) return null;
    return name === "duration" && !/^(?:int|float)$/.test(kind) ? null : (name ?? null);
  },
  ({ before }) => /(?:^|[\s"',;([{])([A-Za-z][\w-]*):\s+["'([]?$/.exec(before)?.[1] ?? null,
  ({ kind, before, kinds }) =>
    kind === "int" && before === ":" && /^(?:ip|host|iporhost)$/.test(kinds[0] ?? "") ? "port" : null,
  ({ draft, behind }) =>
    behind === ":" && draft.texts.length > 0 && draft.texts.every((text) => /\.[A-Za-z]\w{0,3}$/.test(text))
      ? "file"
      : null,
  ({ kind, before, names }) => (kind === "int" && before === ":" && names[0] === "file" ? "line" : null),
  ({ kind, behind }) => (/^(?:int|float)$/.test(kind) && /^(?:ms|s|us|µs|ns)\b/.test(behind) ? "duration" : null),
  ({ kind, has }) => (kind === "ip" && !has("client") ? "client" : null),
  ({ draft, before, has, kind }) =>
    draft.enclosed && before.endsWith("[") && has("time") && !has("thread") && /^(?:word|token|text)$/.test(kind)
      ? "thread"
      : null,
  ({ kind, draft, has }) =>
    kind === "token" &&
    has("time") &&
    !has("logger") &&
    draft.texts.some((text) => /^[a-z]\w*(?:\.[a-z]\w*)+$/i.test(text))
      ? "logger"
      : null,
  ({ isLast, kind }) => (isLast && /^(?:rest|lines)$/.test(kind) ? "message" : null),
];

/** Matches the usual status codes of HTTP. */
const STATUS = /^(?:20[0-6]|30[1-8]|40\d|41\d|42\d|50\d)$/;

function most(texts: readonly string[], is: (text: string) => boolean): boolean {
  return 2 * texts.filter(is).length > texts.length;
}

/**
 * Returns a field name for a piece (a part of the expression), and adds the name to `used`, so that no other
 * field gets this name. Returns null when the piece is not captured. `names` contains the names of the pieces
 * before this one.
 */
export function nameOf(
  drafts: readonly Draft[],
  at: number,
  names: readonly (string | null)[],
  used: Set<string>,
): string | null {
  const draft = drafts[at] as Draft;
  const { kind, type } = draft.choices[draft.choice] as Choice;
  if (kind === "literal" || kind === "space") return null;
  const earlier = names
    .flatMap((name, index) => (name === null ? [] : [{ name, kind: kindAt(drafts, index) }]))
    .reverse();
  const values = drafts.filter((_, index) => !isLiteral(kindAt(drafts, index)));
  const later = drafts.slice(at + 1);
  const context: Context = {
    kind,
    draft,
    before: literalsBeside(drafts, at, -1),
    behind: literalsBeside(drafts, at, 1),
    names: earlier.map(({ name }) => name),
    kinds: earlier.map((each) => each.kind),
    isFirst: draft === values[0],
    nextKind: kindAt(values, values.indexOf(draft) + 1),
    hasMethod: values.some((_, index) => kindAt(values, index) === "method"),
    isLast: draft === drafts.at(-1),
    isLastQuoted: !later.some(({ enclosed }) => enclosed),
    accessFollows: later.some((each) => (each.choices[each.choice] as Choice).text.includes("dd/MMM/yyyy")),
    has: (name) => used.has(name),
  };
  const guessed = RULES.map((rule) => rule(context)).find((name) => name !== null && name !== "");
  return unused(guessed ?? fieldOf(kind, type), used);
}

function unused(wish: string, used: Set<string>): string {
  const clean =
    wish
      .replace(/[^0-9A-Za-z_]+/g, "_")
      .replace(/^_+|_+$/g, "")
      .slice(0, 60) || "field";
  const base = /^\d/.test(clean) ? `f_${clean}` : clean;
  let name = base;
  for (let count = 2; used.has(name); count++) name = `${base}_${count}`;
  used.add(name);
  return name;
}

const FIELDS: Readonly<Record<string, string>> = {
  date: "time",
  uuid: "id",
  hex: "id",
  int: "number",
  float: "number",
  iporhost: "host",
  token: "word",
  rest: "message",
  lines: "message",
};

function fieldOf(kind: string, type: string): string {
  return FIELDS[kind] ?? (type === "string" ? kind : "number");
}

function kindAt(drafts: readonly Draft[], at: number): string {
  const draft = drafts[at];
  return draft?.choices[draft.choice]?.kind ?? "none";
}

function isLiteral(kind: string): boolean {
  return kind === "literal" || kind === "space";
}

/**
 * Returns the literal text directly before a piece (a part of the expression; `step` -1) or after it (`step` 1), up to
 * the next value.
 */
function literalsBeside(drafts: readonly Draft[], at: number, step: 1 | -1): string {
  let text = "";
  for (let index = at + step; index >= 0 && index < drafts.length && isLiteral(kindAt(drafts, index)); index += step) {
    const { choices, choice } = drafts[index] as Draft;
    const { kind, expression } = choices[choice] as Choice;
    const own = kind === "space" ? " " : expression.replace(/\\([\s\S])/g, "$1");
    text = step < 0 ? own + text : text + own;
  }
  return text;
}

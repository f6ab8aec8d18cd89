// The functions grok and add_pattern (docs/reference/grok.md#functions). Expressions are expanded and compiled when the
// script is checked.

import { expand, GrokError, UnknownPattern, writtenAt, wrongReferences } from "../../../grok/expand.ts";
import { Grok } from "../../../grok/grok.ts";
import type { Expansion } from "../../../grok/patterns.ts";
import { Cursor } from "../../../point/batch/cursor.ts";
import { Key } from "../../../point/view.ts";
import { RegexSyntaxError } from "../../../regex/regex.ts";
import { isBytes } from "../../../text/bytes.ts";
import { writeKey } from "../../runtime/point-access.ts";
import type { Run } from "../../runtime/run.ts";
import { toText } from "../../runtime/to-text.ts";
import type { StringLiteral } from "../../syntax/ast.ts";
import { didYouMean } from "../../syntax/hints.ts";
import { type Call, type Declaration, declare } from "../declare.ts";
import { regexHint, regexMistake } from "../regex-help.ts";
import { CapturePlan } from "./grok-captures.ts";

/**
 * Calls `make`, which compiles the grok expression in `literal`. When the expression is wrong, the check of the
 * script fails with an error at this call.
 */
function compiled<T>(call: Call, literal: StringLiteral, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (error instanceof GrokError) {
      const at = call.placeIn(literal, error.offset);
      const near = error instanceof UnknownPattern ? didYouMean(error.pattern, call.patterns.names()) : undefined;
      call.fail(error.message, undefined, { at, hint: error.hint ?? near });
    }
    if (error instanceof RegexSyntaxError) failInRegex(call, literal, error);
    throw error;
  }
}

/** Largest number of characters of an expanded grok expression that an error message shows. */
const mostExpanded = 100;
/** Largest number of characters of a grok expression, as written in the script, that an error message shows. */
const mostWritten = 200;

function failInRegex(call: Call, literal: StringLiteral, error: RegexSyntaxError): never {
  const expansion = expand(literal.value, call.patterns);
  const { own, wrong } = wrongDefinition(expansion) ?? { own: expansion, wrong: error };
  const written = writtenAt(own, wrong.offset);
  const at = written.in.place?.(written.offset) ?? call.placeIn(literal, written.offset);
  const isWhole = error.fragment === expansion.regex;
  const from = isWhole ? 0 : writtenAt(expansion, error.offset).offset;
  const fragment = error.fragment.length <= mostExpanded ? error.fragment : shortened(literal.value.slice(from));
  return call.fail(new RegexSyntaxError(error.reason, fragment, 0).message, undefined, { at, hint: regexHint(error) });
}

function shortened(text: string): string {
  return text.length <= mostWritten ? text : `${text.slice(0, mostWritten)}...`;
}

/**
 * Finds a pattern definition of the script whose own regular expression is wrong, among the definitions that the
 * expression uses. All patterns to which this definition refers are valid, so the mistake is in the definition itself.
 * Returns null when there is no wrong definition.
 */
function wrongDefinition(expansion: Expansion): { readonly own: Expansion; readonly wrong: RegexSyntaxError } | null {
  for (const { definition } of expansion.references ?? []) {
    if (definition.place === undefined) continue;
    const inner = wrongDefinition(definition);
    if (inner !== null) return inner;
    const wrong = regexMistake(definition.regex);
    if (wrong !== null) return { own: definition, wrong };
  }
  return null;
}

export const grok = declare({
  name: "grok",
  summary: "Matches text against an expression and writes every named capture to the point; tells whether it matched.",
  params: [
    { name: "input", type: "key", summary: "the key whose text is matched" },
    { name: "pattern", type: "str", summary: "a literal: RE2 syntax with references such as %{INT:status:int}" },
    {
      name: "trim_space",
      type: "bool",
      optional: true,
      summary: "whether white space around captures is removed; true when left out",
    },
  ],
  returns: "bool",
  style: "positional",
  arity: { min: 2, max: 3, tooFew: "func grok expected 2 or 3 args" },
  examples: [
    {
      script: `grok(_, "%{IPORHOST:client} %{WORD:verb} %{INT:code:int}")`,
      input: "10.0.0.7 GET 200",
      gives: { client: "10.0.0.7", verb: "GET", code: 200 },
    },
    { script: `add_key(ok, grok(_, "%{INT:n:int}"))`, input: "none", gives: { ok: false } },
  ],
  bind(call) {
    const flag = call.arg(2);
    if (flag !== undefined && flag.kind !== "BoolLiteral")
      call.fail(`param key expect BoolLiteral, got \`${flag.kind}'`, flag);
    const trim = flag?.kind === "BoolLiteral" ? flag.value : true;
    const { key, mayBeVariable, readInPlace } = call.key(0);
    const expression = call.literal(1);
    const literal = call.arg(1) as StringLiteral;
    const matcher = compiled(call, literal, () =>
      Grok.compile(expression, { patterns: call.patterns, engine: call.engine }),
    );
    warnOfReferences(call, literal);
    const keys = matcher.fields.map(({ name }) => new Key(name === "_" ? "message" : name));
    const plan = new CapturePlan(matcher, keys, trim);
    const match = (run: Run): boolean => {
      const { point } = run;
      if (!mayBeVariable && run.pendingTags === null && point instanceof Cursor) {
        const matched = plan.run(run, point, key);
        if (matched !== undefined) return matched;
      }
      const input = readInPlace(run);
      if (input === undefined) return false;
      return matcher.each(isBytes(input) ? input : toText(input, run.memory), trim, (field, value) => {
        writeKey(run, keys[field] as Key, value);
      });
    };
    const { at } = call.node;
    return (run) => {
      const matched = match(run);
      const { probe } = run;
      if (probe !== null) {
        probe.grok?.(run, at, matched);
        if (!matched) probe.unmatched?.(run, expression);
      }
      return matched;
    };
  },
});

export const addPattern = declare({
  name: "add_pattern",
  summary: "Defines a grok pattern, visible from here to the end of the block. Acts while the script is checked.",
  params: [
    { name: "name", type: "str", summary: "a literal: the name that references use" },
    { name: "pattern", type: "str", summary: "a literal: the definition; it may refer to patterns visible here" },
  ],
  style: "positional",
  arity: { min: 2, max: 2, tooFew: "func add_pattern expected 2 args" },
  examples: [
    {
      script: String.raw`add_pattern("plate", "[A-Z]{2}-\\d+"); grok(_, "%{plate:plate}")`,
      input: "car AB-123",
      gives: { plate: "AB-123" },
    },
  ],
  bind(call) {
    const node = call.arg(0);
    if (node?.kind !== "StringLiteral") return call.fail(`expect StringLiteral, got ${node?.kind}`);
    const pattern = call.literal(1);
    const literal = call.arg(1) as StringLiteral;
    const definition = compiled(call, literal, () => expand(pattern, call.patterns));
    warnOfReferences(call, literal);
    const place = (offset: number) => call.placeIn(literal, offset);
    if (call.patterns.define(node.value, { ...definition, place }) === "already defined")
      call.warn(`pattern "${node.value}" is already defined in this or an enclosing scope, definition ignored`);
    return () => null;
  },
});

function warnOfReferences(call: Call, literal: StringLiteral): void {
  for (const { text, offset } of wrongReferences(literal.value, call.patterns.ecs)) {
    const [name = "", ...rest] = text.slice(2, -1).split(":");
    const parts = rest
      .map((part) => part.replaceAll(/\W+/g, "_").replaceAll(/^_+|_+$/g, ""))
      .filter((part) => part !== "");
    const meant = /^[\w.-]+$/.test(name) ? `; did you mean %{${[name, ...parts].join(":")}}?${ecsHint(rest[0])}` : "";
    call.warn(`${shortened(text)} is no reference but plain text${meant}`, call.placeIn(literal, offset));
  }
}

/** Returns a hint for a capture name such as `[source][address]`; an empty hint for other names. */
function ecsHint(alias = ""): string {
  if (!/^(?:\[[^\][]+\])+$/.test(alias)) return "";
  return ` With --ecs (pipeline.ecs_patterns of the agent) it writes ${shortened(alias.slice(1, -1).replaceAll("][", "."))}`;
}

export const grokFunctions: readonly Declaration[] = [grok, addPattern];

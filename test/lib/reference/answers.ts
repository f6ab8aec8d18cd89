// Computes the results of the examples in the reference pages with the library, in the notation of the pages.

import { Grok } from "../../../lib/grok/grok.ts";
import { builtinPatterns } from "../../../lib/grok/load.ts";
import {
  type CategoryName,
  type Change,
  changesBetween,
  correct,
  type Form,
  Key,
  type Millrace,
  type PlError,
  Point,
  PointError,
  shownValue,
  snapshotOf,
} from "../../../lib/index.ts";
import { decide } from "../../../lib/sharding/match-sink-rules.ts";
import { loadSinkRules } from "../../../lib/sharding/sink-rules.ts";

const now = 1_700_000_000_000_000_000n;
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** Runs a script over a log whose `message` is the input, and describes what changed. */
export function scriptAnswer(mill: Millrace, script: string, input = "hi"): string {
  const { scripts, errors } = mill.compile({ "main.p": script }, { category: "logging" });
  const mistake = errors.get("main.p");
  if (mistake !== undefined) return errorText(mistake);
  const point = new Point("default", now);
  point.setField(new Key("message"), input);
  correct(point, "logging");
  const before = snapshotOf(point);
  const { error, dropped, created } = mill.run(scripts.get("main.p")!, point, { category: "logging" });
  if (error !== null) return errorText(error);
  const effects = [
    ...changesBetween(before, snapshotOf(point)).map(changeText),
    ...created.map((each) => `creates ${textOf(mill.encodePoints([each.point], "lp"))}`),
    ...(dropped ? ["dropped"] : []),
  ];
  return effects.length === 0 ? "nothing" : effects.join("; ");
}

function errorText({ error, pos_chain: [first] }: PlError): string {
  return `error at ${first!.ln}:${first!.col}: ${error}`;
}

function changeText(change: Change): string {
  switch (change.kind) {
    case "set":
      return `${change.isTag ? "tag " : ""}${change.key} = ${shownValue(change.value)}`;
    case "removed":
      return `${change.key} is removed`;
    case "renamed":
      return `${change.from} is now ${change.isTag ? "tag " : ""}${change.key}`;
    case "measurement":
      return `measurement = ${shownValue(change.value)}`;
    case "time":
      return `time = ${change.value}`;
  }
}

/** Decodes a body. Returns its points in line protocol with their warnings, or the reasons for refusing the body. */
export function bodyAnswer(mill: Millrace, form: Form, body: string, category: CategoryName = "network"): string {
  try {
    const points = mill.decodePoints(utf8(body), { category, form, now });
    const warnings = Array.from({ length: points.length }, (_, at) => points.at(at).warnings).flat();
    const text = textOf(mill.encodePoints(points, "lp"));
    points.release();
    return [text === "" ? "no line" : text, ...warnings.map((warning) => `warning ${warning!.type}`)].join("; ");
  } catch (error) {
    if (!(error instanceof PointError)) throw error;
    const reasons = error.lines.map(({ reason }) => reason);
    return `error: ${reasons.length === 0 ? error.message : reasons.join("; ")}`;
  }
}

/** Matches a text against a grok expression and returns its fields. */
export function grokAnswer(expression: string, text: string): string {
  let grok: Grok;
  try {
    grok = Grok.compile(expression, { patterns: builtinPatterns });
  } catch (error) {
    return `error: ${(error as Error).message}`;
  }
  const fields: string[] = [];
  const isMatch = grok.each(text, true, (field, value) => {
    fields.push(`${grok.fields[field]!.name} = ${shownValue(value)}`);
  });
  if (!isMatch) return "no match";
  return fields.length === 0 ? "a match without fields" : fields.join("; ");
}

/** Tests the condition of a sink rule against a header. */
export function conditionAnswer(condition: string, header: string): string {
  const { rules, problems } = loadSinkRules(
    JSON.stringify({ strict: true, rules: [{ rules: [condition], url: `http://a/?token=tkn_${"a".repeat(32)}` }] }),
  );
  const [mistake] = problems.filter(({ severity }) => severity === "error");
  if (rules === undefined) return `error: ${mistake!.message.replace(/^sinker rules\[0\]\.rules\[0\]: /, "")}`;
  return decide(rules, header, "/v1/write/logging", "all").result === "matched" ? "true" : "false";
}

// The function kv_split: splits a string into pairs of keys and values (docs/reference/functions.md#kv_split).

import { Cursor } from "../../../point/batch/cursor.ts";
import { isTextAt, lengthAt } from "../../../point/batch/in-place.ts";
import { Key } from "../../../point/view.ts";
import { Regex } from "../../../regex/regex.ts";
import { writeKey } from "../../runtime/point-access.ts";
import { chargeWork } from "../../runtime/step-charge.ts";
import { toText } from "../../runtime/to-text.ts";
import { isList, isText, textOf } from "../../runtime/value.ts";
import { type Call, type Declaration, declare } from "../declare.ts";
import { KEY } from "../nodes.ts";
import { PairPlan } from "./split-bytes.ts";
import { regexArgument, trimSet } from "./text.ts";

/**
 * Splits a string at the matches of a separator and returns the parts. A match at the start or the end of the
 * string makes no empty part.
 */
function split(regex: Regex, text: string, limit: number): string[] {
  const pieces: string[] = [];
  let begin = 0;
  let end = 0;
  for (const match of regex.matches(text)) {
    if (pieces.length === limit - 1) break;
    end = match.start;
    if (match.end !== 0) pieces.push(text.slice(begin, end));
    begin = match.end;
  }
  if (end !== text.length) pieces.push(text.slice(begin));
  return pieces;
}

function pattern(call: Call, index: number, absent: string): Regex {
  const node = call.arg(index);
  if (node === undefined) return Regex.compile(absent, "", { engine: call.engine });
  if (node.kind !== "StringLiteral") plainText(call, index);
  return regexArgument(call, index, (_, reason) => reason);
}

/**
 * Returns the value of a string literal; the empty string when the argument is absent. For any other argument,
 * the check of the script fails with an error at the position of the call.
 */
function plainText(call: Call, index: number): string {
  const node = call.arg(index);
  if (node === undefined) return "";
  if (node.kind === "StringLiteral") return node.value;
  return call.fail(`param ${kvSplit.params[index]?.name} expect StringLiteral, got ${node.kind}`);
}

export const kvSplit: Declaration = declare({
  name: "kv_split",
  summary: "Splits text into pairs of key and value and writes those whose key is listed; tells whether any was found.",
  params: [
    KEY,
    {
      name: "field_split_pattern",
      type: "str",
      optional: true,
      summary: "a literal: the expression between pairs; a blank when left out",
    },
    {
      name: "value_split_pattern",
      type: "str",
      optional: true,
      summary: "a literal: the expression between key and value; = when left out",
    },
    { name: "trim_key", type: "str", optional: true, summary: "a literal: characters removed around keys" },
    { name: "trim_value", type: "str", optional: true, summary: "a literal: characters removed around values" },
    { name: "include_keys", type: "list", optional: true, summary: "the keys to write; none when left out" },
    { name: "prefix", type: "str", optional: true, summary: "a literal: put before the keys that are written" },
  ],
  returns: "bool",
  style: "named",
  examples: [
    {
      script: `kv_split(_, include_keys=["a", "c"], trim_value=",")`,
      input: "a=1, b=2 c=3",
      gives: { a: "1", c: "3" },
    },
  ],
  bind(call) {
    const { key: source, mayBeVariable, read } = call.key(0);
    const fields = pattern(call, 1, " ");
    const values = pattern(call, 2, "=");
    const trimKey = new Set(plainText(call, 3));
    const trimValue = new Set(plainText(call, 4));
    const listed = call.arg(5);
    if (listed !== undefined && listed.kind !== "ListLiteral" && listed.kind !== "Identifier")
      call.fail(`param include_keys expect ListInitExpr or Identifier, got ${listed.kind}`);
    const include = call.value(5);
    const prefix = plainText(call, 6);
    const keys = new Map<string, Key>();
    const plan = mayBeVariable
      ? null
      : PairPlan.of({ fields: fields.source, values: values.source, trimKey, trimValue, listed, prefix });
    const count = listed?.kind === "ListLiteral" ? listed.items.length : 0;
    return (run) => {
      const { point } = run;
      if (plan !== null && run.pendingTags === null && point instanceof Cursor) {
        const at = point.at(source);
        if (at < 0) return false;
        if (isTextAt(point, at)) {
          chargeWork(run, lengthAt(point, at));
          chargeWork(run, count);
          return plan.run(point, at);
        }
      }
      const [held, names] = [read(run), include(run)];
      const wanted = new Set(isList(names) ? names.filter(isText).map(textOf) : []);
      const text = held === undefined ? "" : toText(held, run.memory);
      if (text === "" || wanted.size === 0) return false;
      const found = new Map<string, string>();
      for (const piece of split(fields, text, Number.POSITIVE_INFINITY)) {
        const pair = split(values, piece, 2);
        if (pair.length < 2) continue;
        const name = trimSet(pair[0] as string, trimKey);
        if (name !== "" && wanted.has(name)) found.set(name, trimSet(pair[1] as string, trimValue));
      }
      for (const [name, value] of found) {
        let key = keys.get(name);
        if (key === undefined) {
          key = new Key(prefix + name);
          if (keys.size < 1000) keys.set(name, key);
        }
        writeKey(run, key, value);
      }
      return found.size > 0;
    };
  },
});

export const splitFunctions: readonly Declaration[] = [kvSplit];

// The function gjson: extracts a value from JSON text by a path in a path language of its own, without validating the
// text (docs/reference/functions.md#gjson).

import { Key } from "../../../point/view.ts";
import { writeKey } from "../../runtime/point-access.ts";
import type { Run } from "../../runtime/run.ts";
import { toText } from "../../runtime/to-text.ts";
import { Float, isText, textOf, type Value, VOID } from "../../runtime/value.ts";
import { type Call, type Declaration, declare } from "../declare.ts";
import { compilePath } from "./json-path.ts";
import { stringText } from "./json-scan.ts";

/**
 * Converts the source text of a JSON value to a script value: numbers become floats, lists and maps stay JSON text,
 * null becomes undefined.
 */
function scriptValue(raw: string): Value | undefined {
  switch (raw[0]) {
    case '"':
      return stringText(raw);
    case "{":
    case "[":
      return raw;
    case "t":
      return true;
    case "f":
      return false;
    case "n":
    case undefined:
      return undefined;
  }
  const number = Number(raw);
  return Number.isNaN(number) ? undefined : new Float(number);
}

/**
 * Returns a reader of a string argument. A literal is read once at compile time; an identifier is read at every run,
 * and its value must then be a string.
 */
function textArgument(call: Call, index: number, message: string): (run: Run) => string {
  const node = call.arg(index);
  if (node?.kind === "StringLiteral") {
    const text = node.value;
    return () => text;
  }
  if (node?.kind !== "Identifier") call.fail(`${message}, got ${node?.kind}`, node);
  const value = call.value(index);
  return (run) => {
    const given = value(run);
    if (!isText(given)) throw call.runFailure("param data type expect string", node);
    return textOf(given);
  };
}

export const gjson = declare({
  name: "gjson",
  summary:
    "Extracts a value from JSON text by a path with wildcards, queries, multipaths and modifiers. Lists and maps keep their source text.",
  params: [
    { name: "input", type: "key", summary: "the key that holds JSON text" },
    { name: "json_path", type: "str", summary: "the path, such as list.#(age>40).name" },
    {
      name: "key_name",
      type: "str",
      optional: true,
      aliases: ["newkey"],
      summary: "the key that is written; the path when left out",
    },
  ],
  style: "named",
  examples: [
    {
      script: `gjson(_, "friends.#(age>44).first", "r")`,
      input: `{"friends": [{"first": "Dale", "age": 44}, {"first": "Roger", "age": 68}]}`,
      gives: { r: "Roger" },
    },
    {
      script: `gjson(_, "friends.#.{first,age}|0", "r")`,
      input: `{"friends": [{"first": "Dale", "nets": [], "age": 44}]}`,
      gives: { r: `{"first":"Dale","age":44}` },
    },
  ],
  bind(call) {
    const { read } = call.key(0);
    const path = textArgument(call, 1, "expect AttrExpr, IndexExpr or Identifier");
    const target = call.arg(2) === undefined ? path : textArgument(call, 2, "expect AttrExpr or Identifier");
    let [known, find] = ["", compilePath("")];
    let key = new Key("");
    return (run) => {
      const [route, name] = [path(run), target(run)];
      const held = read(run);
      if (held === undefined) return VOID;
      if (route !== known) [known, find] = [route, compilePath(route)];
      const raw = find(toText(held, run.memory));
      const value = raw === undefined ? undefined : scriptValue(raw);
      if (value === undefined) return VOID;
      const real = name === "_" ? "message" : name;
      if (key.text !== real) key = new Key(real);
      writeKey(run, key, value);
      return VOID;
    };
  },
});

export const gjsonFunctions: readonly Declaration[] = [gjson];

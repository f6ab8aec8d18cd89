// The functions group_between and group_in: write a value when the value of a key is in a range or in a set
// (docs/reference/functions.md).

import { Cursor } from "../../../point/batch/cursor.ts";
import { equalsAt, isTextAt, lengthAt } from "../../../point/batch/in-place.ts";
import { formatFloat } from "../../../point/number-text.ts";
import { Literal } from "../../../point/view.ts";
import { writeKey, writeText } from "../../runtime/point-access.ts";
import { chargeWork } from "../../runtime/step-charge.ts";
import { registerOperation } from "../../runtime/tape-operations.ts";
import { contains, isList, type List, VOID } from "../../runtime/value.ts";
import type { Expr } from "../../syntax/ast.ts";
import { type Call, type Declaration, declare, type Param } from "../declare.ts";
import { isKeyNode, isNumber, KEY, listText } from "../nodes.ts";
import { numberOf } from "./conversions.ts";

const NEW_VALUE: Param = { name: "new_value", type: "any", summary: "the value that is written" };
const NEW_KEY: Param = {
  name: "new_key",
  type: "key",
  optional: true,
  summary: "the key that is written; the key itself when left out",
};

export const groupBetween = declare({
  name: "group_between",
  summary: "Writes a value when a key's number lies between two bounds, inclusive.",
  params: [KEY, { name: "between", type: "list", summary: "a literal of two numbers" }, NEW_VALUE, NEW_KEY],
  style: "positional",
  arity: { min: 3, max: 4, tooFew: "func `group_between' expected 3 or 4 args" },
  examples: [
    {
      script: `json(_, status_code); group_between(status_code, [200, 299], "OK", group)`,
      input: `{"status_code": 204}`,
      gives: { status_code: 204, group: "OK" },
    },
  ],
  bind(call) {
    const source = call.key(0);
    const target = call.arg(3) === undefined ? source.key : call.key(3).key;
    const [low, high] = bounds(call);
    const value = call.value(2);
    const literal = call.written(2);
    const operation =
      literal === null || source.mayBeVariable
        ? null
        : ({ code: "groupBetween", key: source.key, target, text: literal, low, high } as const);
    return registerOperation(operation, (run) => {
      const held = source.read(run);
      const number = held === undefined ? undefined : numberOf(held);
      if (number === undefined || !(low <= number && number <= high)) return VOID;
      if (literal !== null) writeText(run, target, literal);
      else writeKey(run, target, value(run));
      return VOID;
    });
  },
});

function bounds(call: Call): [number, number] {
  const range = call.arg(1);
  const items = range?.kind === "ListLiteral" ? range.items : [];
  const printed = listText(range, " ");
  if (items.length !== 2) call.fail(`param between range value \`${printed}' is not expected`, range);
  const [low, high] = items.map((item) =>
    isNumber(item) ? Number(item.value) : call.fail(`range value \`${printed}' is not expected`, item),
  ) as [number, number];
  if (low > high) call.fail(`range value start ${formatFloat(low)} must le end ${formatFloat(high)}`);
  return [low, high];
}

export const groupIn = declare({
  name: "group_in",
  summary: "Writes a value when a key's value is in a list. Int and float compare by number, everything else by kind.",
  params: [KEY, { name: "range", type: "list", summary: "a list, or a variable that holds one" }, NEW_VALUE, NEW_KEY],
  style: "positional",
  arity: { min: 3, max: 4, tooFew: "func group_in expected 3 or 4 args" },
  examples: [
    {
      script: `group_in(_, ["error", "panic"], "not-ok", level)`,
      input: "panic",
      gives: { level: "not-ok" },
    },
  ],
  bind(call) {
    const source = call.key(0);
    const newKey = call.arg(3);
    if (newKey !== undefined && !isKeyNode(newKey))
      call.fail(`param new-key expect AttrExpr, StringLiteral or Identifier, got ${newKey.kind}`, newKey);
    const own = newKey === undefined || (newKey.kind === "StringLiteral" && newKey.value === "");
    const target = own ? source.key : call.key(3).key;
    const range = call.arg(1);
    const list = range?.kind === "ListLiteral" || range?.kind === "Identifier" ? call.value(1) : (): List => [];
    const value = call.value(2);
    const literal = call.written(2);
    const texts = source.mayBeVariable ? null : textsOf(range);
    const operation =
      texts === null || literal === null
        ? null
        : ({ code: "groupIn", key: source.key, target, text: literal, texts } as const);
    return registerOperation(operation, (run) => {
      const { point } = run;
      if (texts !== null && point instanceof Cursor) {
        const at = point.at(source.key);
        if (at < 0) return VOID;
        if (isTextAt(point, at)) {
          chargeWork(run, lengthAt(point, at));
          chargeWork(run, texts.length);
          if (!texts.some((text) => equalsAt(point, at, text))) return VOID;
          if (literal !== null) writeText(run, target, literal);
          else writeKey(run, target, value(run));
          return VOID;
        }
      }
      const held = source.read(run);
      if (held === undefined) return VOID;
      const members = list(run);
      if (isList(members) && contains(members, held)) writeKey(run, target, value(run));
      return VOID;
    });
  },
});

/** Returns the values of a list literal that contains only strings; null for any other argument. */
function textsOf(range: Expr | undefined): Literal[] | null {
  if (range?.kind !== "ListLiteral") return null;
  const texts: Literal[] = [];
  for (const item of range.items) {
    if (item.kind !== "StringLiteral") return null;
    const text = new Literal(item.value);
    if (!text.isComparable) return null;
    texts.push(text);
  }
  return texts;
}

export const groupFunctions: readonly Declaration[] = [groupBetween, groupIn];

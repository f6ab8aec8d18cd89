// Functions that add, remove, move and compare keys of the point (docs/reference/functions.md).

import { Key } from "../../../point/view.ts";
import { readPoint, takePendingTag, writeKey, writeTag, writeText } from "../../runtime/point-access.ts";
import { registerOperation } from "../../runtime/tape-operations.ts";
import { contains, isNothing, VOID } from "../../runtime/value.ts";
import { type Declaration, declare } from "../declare.ts";
import { KEY } from "../nodes.ts";

const MESSAGE = new Key("message");

export const addKey = declare({
  name: "add_key",
  summary: "Writes a value to a key of the point. Lists and maps become JSON text, nil a key without value.",
  params: [
    { name: "key", type: "key", summary: "the key that is written" },
    {
      name: "value",
      type: "any",
      optional: true,
      summary: "the value; when left out, that of the variable or key of the same name",
    },
  ],
  style: "positional",
  arity: { min: 1, max: 2, tooFew: "func add_key expected 1 or 2 args" },
  tracesArguments: true,
  examples: [
    { script: `add_key(city, "Kyoto")`, input: "x", gives: { city: "Kyoto" } },
    { script: `n = 5; add_key(n)`, input: "x", gives: { n: 5 } },
    { script: `add_key(l, [1, "a", {"k": nil}])`, input: "x", gives: { l: `[1,"a",{"k":null}]` } },
  ],
  bind(call) {
    const { key, read } = call.key(0);
    const given = call.arg(1) !== undefined;
    const value = given ? call.value(1) : read;
    const literal = call.written(1);
    if (literal !== null)
      return registerOperation({ code: "addText", key, text: literal }, (run) => {
        writeText(run, key, literal);
        return VOID;
      });
    const member = call.member(1);
    return registerOperation(member === null ? null : { code: "copyMember", key, member }, (run) => {
      const written = value(run);
      if (written !== undefined) writeKey(run, key, written);
      return VOID;
    });
  },
});

export const getKey = declare({
  name: "get_key",
  summary: "Reads a tag or field of the point, never a variable; nil when there is none.",
  params: [{ name: "key", type: "key", summary: "the key that is read" }],
  returns: "any",
  style: "positional",
  arity: { min: 1, max: 1, tooFew: "func get_key expected 1 args" },
  examples: [{ script: `add_key(a, 1); a = 2; add_key(b, get_key(a))`, input: "x", gives: { a: 1, b: 1 } }],
  bind(call) {
    const { key } = call.key(0);
    return (run) => readPoint(run, key) ?? null;
  },
});

export const dropKey = declare({
  name: "drop_key",
  summary: "Removes a tag or field from the point.",
  params: [{ name: "key", type: "key", summary: "the key that is removed" }],
  style: "positional",
  arity: { min: 1, max: 1, tooFew: "func drop_key expected 1 args" },
  examples: [
    { script: `json(_, age); json(_, size); drop_key(size)`, input: `{"age": 17, "size": 180}`, gives: { age: 17 } },
  ],
  bind(call) {
    const { key } = call.key(0);
    return registerOperation({ code: "drop", key }, (run) => {
      run.point.delete(key);
      takePendingTag(run, key);
      return VOID;
    });
  },
});

export const dropOriginData = declare({
  name: "drop_origin_data",
  summary: "Removes the original text, the key `message`.",
  params: [],
  style: "positional",
  arity: { min: 0, tooFew: "" },
  examples: [{ script: `drop_origin_data()`, input: "some text", gives: { message: undefined } }],
  bind() {
    return registerOperation({ code: "drop", key: MESSAGE }, (run) => {
      run.point.delete(MESSAGE);
      return VOID;
    });
  },
});

export const rename = declare({
  name: "rename",
  summary: "Gives a tag or field another key; its value and kind stay.",
  params: [
    { name: "new_key", type: "key", summary: "the new name; an entry that has it already is replaced" },
    { name: "old_key", type: "key", summary: "the key that is renamed" },
  ],
  style: "positional",
  arity: { min: 2, max: 2, tooFew: "func rename expected 2 args" },
  examples: [{ script: `add_key(a, 1); rename(b, a)`, input: "x", gives: { b: 1 } }],
  bind(call) {
    const to = call.key(0).key;
    const old = call.arg(1);
    if (old?.kind !== "Identifier" && old?.kind !== "AttrExpr")
      call.fail(`param key expect Identifier or AttrExpr, got \`${old?.kind}'`, old);
    const from = call.key(1).key;
    return registerOperation({ code: "rename", key: from, target: to }, (run) => {
      const moved = run.pendingTags === null ? undefined : readPoint(run, from);
      run.point.rename(from, to);
      if (moved !== undefined && takePendingTag(run, to)) writeTag(run, to, moved);
      return VOID;
    });
  },
});

export const nullif = declare({
  name: "nullif",
  summary: "Removes a key when it equals a value. Int and float compare by number, everything else by kind.",
  params: [KEY, { name: "value", type: "any", summary: "the value that is compared" }],
  style: "positional",
  arity: { min: 2, max: 2, tooFew: "func nullif expected 2 args" },
  examples: [
    { script: `add_key(a, "-"); nullif(a, "-")`, input: "x", gives: {} },
    { script: `add_key(a, 1); nullif(a, "1")`, input: "x", gives: { a: 1 } },
  ],
  bind(call) {
    const { key, mayBeVariable, read } = call.key(0);
    const value = call.value(1);
    const literal = call.written(1);
    const inPlace = !mayBeVariable && literal?.isComparable === true;
    return registerOperation(inPlace ? { code: "nullif", key, text: literal } : null, (run) => {
      const held = read(run);
      if (held === undefined) return VOID;
      const wanted = value(run);
      const equal = isNothing(held) ? isNothing(wanted) : contains([held], wanted);
      if (equal) run.point.delete(key);
      return VOID;
    });
  },
});

export const setTag = declare({
  name: "set_tag",
  summary:
    "Makes a key a tag, with the text of its own value or of another. A key that does not exist yet becomes a tag when it is written.",
  params: [
    { name: "key", type: "key", summary: "the key that becomes a tag" },
    {
      name: "value",
      type: "str",
      optional: true,
      summary: "a text, or the name of a variable or key that holds the value",
    },
  ],
  style: "positional",
  arity: { min: 1, max: 2, tooFew: "func `set_tag' expected 1 or 2 args" },
  examples: [
    { script: `set_tag(zone, "eu")`, input: "x", gives: { zone: "eu" } },
    { script: `set_tag(code); grok(_, "%{INT:code:int}")`, input: "200", gives: { code: "200" } },
  ],
  bind(call) {
    const { key, read } = call.key(0);
    const node = call.arg(1);
    if (node === undefined)
      return (run) => {
        const held = read(run);
        if (held !== undefined) writeTag(run, key, held);
        else run.pendingTags = (run.pendingTags ?? new Set()).add(key.text);
        return VOID;
      };
    if (node.kind !== "StringLiteral" && node.kind !== "Identifier" && node.kind !== "AttrExpr")
      call.fail(`param type expect StringLiteral, got \`${node.kind}'`, node);
    const literal = call.written(1);
    if (literal !== null)
      return registerOperation({ code: "tagText", key, text: literal }, (run) => {
        run.point.setTag(key, literal.text);
        return VOID;
      });
    // `set_tag` has no effect when its value is given by a name that is neither a variable nor a key. When the value is
    // given by an attribute path, which never has a value, the tag becomes empty.
    const value = node.kind === "Identifier" ? call.key(1).read : call.value(1);
    return (run) => {
      const given = value(run);
      if (given !== undefined) writeTag(run, key, given);
      return VOID;
    };
  },
});

export const keyFunctions: readonly Declaration[] = [addKey, getKey, dropKey, dropOriginData, rename, nullif, setTag];

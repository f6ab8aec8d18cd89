// Functions for the name of the point, for keys whose names are computed, and for options of the run
// (docs/reference/functions.md).

import { rememberedKeys } from "../../../point/remembered-keys.ts";
import { PointArray, type Scalar } from "../../../point/value.ts";
import { Key } from "../../../point/view.ts";
import { isBytes, type Text } from "../../../text/bytes.ts";
import type { Evaluate } from "../../runtime/code.ts";
import { keyBytes } from "../../runtime/memory.ts";
import { fromPoint, readPoint, takePendingTag, writeKey, writeTag } from "../../runtime/point-access.ts";
import type { Run } from "../../runtime/run.ts";
import { detachValue } from "../../runtime/state/detach.ts";
import { isDict, isList, isText, type List, textOf, type Value, VOID } from "../../runtime/value.ts";
import { type Call, type Declaration, declare } from "../declare.ts";
import { KEY } from "../nodes.ts";

export const ptName = declare({
  name: "pt_name",
  summary: "The point's name, after setting it when a non-empty text is given.",
  params: [{ name: "name", type: "str", optional: true, summary: "the new name" }],
  returns: "str",
  style: "positional",
  arity: { min: 0, max: 1, tooFew: "func `pt_name' can have at most one parameter" },
  examples: [{ script: `add_key(r, pt_name("access"))`, input: "x", gives: { r: "access" } }],
  bind(call) {
    const name = call.value(0);
    return (run) => {
      const given = name(run);
      if (isText(given) && given.length > 0) run.point.name = textOf(given);
      return run.point.name;
    };
  },
});

export const setMeasurement = declare({
  name: "set_measurement",
  summary: "Sets the point's name to a text or to the value of a key.",
  params: [
    { name: "name", type: "key", summary: "a text, or the name of a variable or key that holds it" },
    {
      name: "delete_key",
      type: "bool",
      optional: true,
      summary: "a literal: whether the key is removed when it gave the name",
    },
  ],
  style: "positional",
  arity: { min: 1, max: 2, tooFew: "func `set_measurement' expected 1 or 2 args" },
  examples: [{ script: `set_measurement("access"); add_key(n, pt_name())`, input: "x", gives: { n: "access" } }],
  bind(call) {
    const { key } = call.key(0);
    const literal = call.arg(0)?.kind === "StringLiteral";
    const flag = call.arg(1);
    if (flag !== undefined && flag.kind !== "BoolLiteral")
      call.fail(`param type expect BoolLiteral, got \`${flag.kind}'`, flag);
    const remove = !literal && flag?.kind === "BoolLiteral" && flag.value;
    const name = call.value(0);
    return (run) => {
      const given = name(run);
      if (!isText(given) || given.length === 0) return VOID;
      run.point.name = textOf(given);
      if (remove) run.point.delete(key);
      return VOID;
    };
  },
});

export const setopt = declare({
  name: "setopt",
  summary: "Sets options of this run; the last call counts.",
  params: [
    {
      name: "status_mapping",
      type: "bool",
      optional: true,
      summary: "whether the status of a log is mapped to a level after the run",
    },
  ],
  style: "keywords",
  examples: [
    { script: `setopt(status_mapping=false); add_key(status, "w")`, input: "x", gives: { status: "w" } },
    { script: `add_key(status, "w")`, input: "x", gives: { status: "warning" } },
  ],
  bind(call) {
    const mapping = call.value(0);
    return (run) => {
      const given = mapping(run);
      if (typeof given === "boolean") run.statusMapping = given;
      return VOID;
    };
  },
});

const KEY_NAME = { ...KEY, name: "name", type: "str", summary: "the key's name" } as const;
const RAW = {
  name: "raw",
  type: "bool",
  optional: true,
  summary: "whether lists and maps stay what they are instead of JSON text",
} as const;

/**
 * Returns a function that reads the argument `name` of the call while the script runs. The compiler checks the type of
 * the argument (compile/call.ts).
 */
function nameArgument(call: Call): (run: Parameters<Evaluate>[0]) => string {
  const name = call.value(0);
  return (run) => textOf(name(run) as Text);
}

function flagArgument(
  call: Call,
  index: number,
  name: string,
  absent: boolean,
): (run: Parameters<Evaluate>[0]) => boolean {
  if (call.arg(index) === undefined) return () => absent;
  const value = call.value(index);
  return (run) => {
    const given = value(run);
    if (typeof given !== "boolean") throw call.runFailure(`parameter ${name}: type not match`, call.arg(index));
    return given;
  };
}

export const ptKvsGet = declare({
  name: "pt_kvs_get",
  summary: "Reads a tag or field by a computed name; nil when there is none.",
  params: [KEY_NAME, RAW],
  returns: "any",
  style: "declared",
  examples: [{ script: `add_key(ab, 1); add_key(r, pt_kvs_get("a" + "b"))`, input: "x", gives: { ab: 1, r: 1 } }],
  bind(call) {
    const name = nameArgument(call);
    const raw = flagArgument(call, 1, "raw", false);
    const keyOf = rememberedKeys();
    return (run) => {
      const key = keyOf(messageFor(name(run)));
      const held = run.point.get(key);
      const keep = raw(run);
      if (keep && held instanceof PointArray) return held.elements.map(fromPoint);
      const value = readPoint(run, key) ?? null;
      return (keep ? mapOf(run, key, value) : undefined) ?? value;
    };
  },
});

/**
 * Remembers a map that was written to a key, for the function `pt_kvs_get`. A point cannot store maps, so the
 * value of the key is the map's JSON text.
 */
function rememberMap(run: Run, key: Key, map: Value): void {
  const text = readPoint(run, key);
  if (!isText(text ?? null)) return;
  const { value, bytes } = detachValue(map);
  run.memory.keep(bytes);
  run.maps = (run.maps ?? new Map()).set(key.text, { text: textOf(text as Text), value });
}

/**
 * Returns a copy of the map that was written to a key. Returns undefined when the key's value is no longer the JSON
 * text of this map.
 */
function mapOf(run: Run, key: Key, held: Value): Value | undefined {
  const written = run.maps?.get(key.text);
  if (written === undefined || !isText(held) || textOf(held) !== written.text) return undefined;
  const { value, bytes } = detachValue(written.value);
  run.memory.make(bytes);
  return value;
}

function messageFor(name: string): string {
  return name === "_" ? "message" : name;
}

/** Converts a list to an array field; undefined when its elements are not all of the same scalar type. */
function toArray(list: List): PointArray | undefined {
  const kind = (value: Value) =>
    typeof value === "object"
      ? value !== null && isBytes(value)
        ? "string"
        : (value?.constructor.name ?? "nil")
      : typeof value;
  const first = list[0];
  if (first === undefined || !["number", "bigint", "string", "boolean", "Float"].includes(kind(first)))
    return undefined;
  const same = (value: Value) => kind(value).replace("bigint", "number") === kind(first).replace("bigint", "number");
  return list.every(same) ? new PointArray(list as Scalar[]) : undefined;
}

export const ptKvsSet = declare({
  name: "pt_kvs_set",
  summary: "Writes a tag or field by a computed name; false for an empty name.",
  params: [
    KEY_NAME,
    { name: "value", type: "any", summary: "the value" },
    { name: "as_tag", type: "bool", optional: true, summary: "whether the key becomes a tag" },
    RAW,
  ],
  returns: "bool",
  style: "declared",
  examples: [{ script: `k = "dyn"; pt_kvs_set(k + "1", 5)`, input: "x", gives: { dyn1: 5 } }],
  bind(call) {
    const name = nameArgument(call);
    const value = call.value(1);
    const asTag = flagArgument(call, 2, "as_tag", false);
    const raw = flagArgument(call, 3, "raw", false);
    const keyOf = rememberedKeys();
    if (call.arg(2) === undefined && call.arg(3) === undefined)
      return (run) => {
        const key = keyOf(name(run));
        const written = value(run);
        if (key.text === "") return false;
        run.memory.keep(keyBytes + key.text.length);
        writeKey(run, key, written);
        return true;
      };
    return (run) => {
      const key = keyOf(name(run));
      const [written, tag, keep] = [value(run), asTag(run), raw(run)];
      if (key.text === "") return false;
      run.memory.keep(keyBytes + key.text.length);
      if (tag) writeTag(run, key, written);
      else {
        const staysTag = keep && (run.point.isTag(key) || run.pendingTags?.has(key.text) === true);
        const array = keep && isList(written) && !staysTag ? toArray(written) : undefined;
        if (array !== undefined) run.point.setField(key, array);
        else writeKey(run, key, written);
        if (keep && isDict(written) && !staysTag) rememberMap(run, key, written);
      }
      return true;
    };
  },
});

export const ptKvsDel = declare({
  name: "pt_kvs_del",
  summary: "Removes a tag or field by a computed name.",
  params: [KEY_NAME],
  style: "declared",
  examples: [{ script: `add_key(a, 1); pt_kvs_del("a")`, input: "x", gives: {} }],
  bind(call) {
    const name = nameArgument(call);
    return (run) => {
      const key = new Key(messageFor(name(run)));
      run.point.delete(key);
      takePendingTag(run, key);
      return VOID;
    };
  },
});

export const ptKvsKeys = declare({
  name: "pt_kvs_keys",
  summary: "Names of the point's tags and fields, tags first.",
  params: [
    { name: "tags", type: "bool", optional: true, summary: "whether tags are listed; true when left out" },
    { name: "fields", type: "bool", optional: true, summary: "whether fields are listed; true when left out" },
  ],
  returns: "list",
  style: "declared",
  examples: [
    { script: `set_tag(t, "1"); add_key(r, pt_kvs_keys(fields=false))`, input: "x", gives: { t: "1", r: `["t"]` } },
  ],
  bind(call) {
    const tags = flagArgument(call, 0, "tags", true);
    const fields = flagArgument(call, 1, "fields", true);
    return (run) => {
      const [withTags, withFields] = [tags(run), fields(run)];
      const entries = Array.from(run.point.entries(), ({ key, isTag }) => ({ key, isTag }));
      const names = (isTag: boolean) => entries.filter((entry) => entry.isTag === isTag).map((entry) => entry.key);
      run.memory.makeList(entries.length);
      return [...(withTags ? names(true) : []), ...(withFields ? names(false) : [])];
    };
  },
});

export const metaFunctions: readonly Declaration[] = [
  ptName,
  setMeasurement,
  setopt,
  ptKvsGet,
  ptKvsSet,
  ptKvsDel,
  ptKvsKeys,
];

// The functions cache_get and cache_set: values that a script keeps from point to point
// (docs/reference/functions.md#cache_get).

import type { Evaluate } from "../../runtime/code.ts";
import { sizeOf } from "../../runtime/memory.ts";
import { chargeWork } from "../../runtime/step-charge.ts";
import { isInt, isText, textOf, type Value, VOID } from "../../runtime/value.ts";
import { type Call, type Declaration, declare } from "../declare.ts";

const DEFAULT_SECONDS = 100n;

/**
 * Returns the key as a string. When the key is not a string, the run fails with an error at the position of the
 * argument.
 */
function keyText(call: Call, value: Value): string {
  if (!isText(value)) throw call.runFailure("param data type expect string", call.arg(0));
  return textOf(value);
}

export const cacheGet = declare({
  name: "cache_get",
  summary: "The value that `cache_set` stored for a key; nil when there is none or its time is over.",
  params: [{ name: "key", type: "str", summary: "the key in the cache" }],
  returns: "any",
  style: "positional",
  arity: { min: 1, max: 1, tooFew: "func cache_get expects 1 arg" },
  state: true,
  examples: [{ script: `cache_set("k", "v", 30); add_key(r, cache_get("k"))`, input: "x", gives: { r: "v" } }],
  bind(call) {
    const key = call.value(0);
    return (run) => {
      const value = run.state.cache.get(keyText(call, key(run)), run.host.now());
      run.memory.make(sizeOf([value]).bytes);
      return value;
    };
  },
});

export const cacheSet = declare({
  name: "cache_set",
  summary:
    "Stores a value of any type for later points of this script. At most 100,000 values or 64 MiB; the oldest go.",
  params: [
    { name: "key", type: "str", summary: "the key in the cache" },
    { name: "value", type: "any", summary: "the value" },
    {
      name: "exp",
      type: "int",
      optional: true,
      aliases: ["expiration"],
      summary: "seconds it is kept, 100 when left out; nothing is stored when it is not above 0",
    },
  ],
  style: "named",
  state: true,
  examples: [
    {
      script: `cache_set("k", [1, 2], expiration=5); l = cache_get("k"); add_key(n, l[1])`,
      input: "x",
      gives: { n: 2 },
    },
    { script: `cache_set("k", "v", 0); add_key(none, cache_get("k") == nil)`, input: "x", gives: { none: true } },
  ],
  bind(call) {
    const [key, value] = [call.value(0), call.value(1)];
    const expiration: Evaluate | null = call.arg(2) === undefined ? null : call.value(2);
    return (run) => {
      const name = keyText(call, key(run));
      const stored = value(run);
      const seconds = expiration === null ? DEFAULT_SECONDS : expiration(run);
      if (!isInt(seconds)) throw call.runFailure("param data type expect int or nil", call.arg(2));
      if (seconds <= 0) return VOID;
      chargeWork(run, run.state.cache.set(name, stored === VOID ? null : stored, BigInt(seconds), run.host.now()));
      return VOID;
    };
  },
});

export const cacheFunctions: readonly Declaration[] = [cacheGet, cacheSet];

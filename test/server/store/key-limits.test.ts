// The settings platform.max_keys and platform.max_measurements apply in both databases (segment files and ClickHouse),
// with the same messages.

import { describe, expect, it } from "vitest";
import { type KeyRow, WorkspaceKeys } from "../../../server/store/clickhouse/keys.ts";
import { TooManyKeys } from "../../../server/store/points-database.ts";
import { CategoryKeys, KeyRegistry } from "../../../server/store/segments/keys.ts";

const limits = { maxKeys: 3, maxNames: 2 };
type Use = readonly [name: string, key: string, kind: "tag" | "int" | "float"];

/**
 * For each of the two databases, a function that adds batches one by one; a batch is accepted or refused as a whole.
 * The function returns the message with which the last batch was refused, or undefined when the last batch was
 * accepted.
 */
const stores = {
  segments: (batches: readonly (readonly Use[])[]) => {
    const keys = new CategoryKeys(new KeyRegistry());
    return lastRefusal(batches, (batch) => {
      const uses = batch.map(([name, key, kind]) => ({ key, kind, count: 1, names: [name] }));
      keys.requireRoom("metric", uses, limits);
      keys.addUses(uses);
    });
  },
  ClickHouse: (batches: readonly (readonly Use[])[]) => {
    const keys = new WorkspaceKeys("d", "w");
    return lastRefusal(batches, (batch) => {
      const rows = batch.map((use): KeyRow => ["metric", ...use]);
      keys.requireRoom("metric", rows, limits);
      keys.add(rows);
    });
  },
};

function lastRefusal(batches: readonly (readonly Use[])[], put: (batch: readonly Use[]) => void): string | undefined {
  let refusal: string | undefined;
  for (const batch of batches) {
    refusal = undefined;
    try {
      put(batch);
    } catch (error) {
      if (!(error instanceof TooManyKeys)) throw error;
      refusal = error.message;
    }
  }
  return refusal;
}

const keysMessage = (key: string) => `metric has 3 keys at most (platform.max_keys), ${key} is one too many`;
const namesMessage = (name: string) =>
  `metric has 2 measurements at most (platform.max_measurements), ${name} is one too many`;
const full: readonly Use[] = [
  ["a", "x", "int"],
  ["b", "y", "int"],
  ["b", "y", "tag"],
];

describe.each(Object.entries(stores))("%s", (_name, refusalOf) => {
  it.each<readonly [what: string, batches: readonly (readonly Use[])[], refusal: string | undefined]>([
    ["as many as may be", [full], undefined],
    ["known ones again, and known keys of other known names", [full, full, [["a", "y", "tag"]]], undefined],
    ["one key more in the same batch", [[...full, ["a", "z", "int"]]], keysMessage('"z"')],
    ["one key more in a later batch", [full, [["a", "z", "int"]]], keysMessage('"z"')],
    ["another kind of a known key", [full, [["a", "x", "float"]]], keysMessage('"x"')],
    ["one name more in a later batch", [full, [["c", "x", "int"]]], namesMessage('"c"')],
    [
      "a batch after one that was refused, of which nothing is known",
      [[...full, ["c", "x", "int"]], [["c", "x", "int"]]],
      undefined,
    ],
    [
      "a long name with a control character",
      [full, [[`\x1b${"c".repeat(200)}`, "x", "int"]]],
      namesMessage(`"\\u001b${"c".repeat(99)}..."`),
    ],
  ])("%s", (_what, batches, refusal) => {
    expect(refusalOf(batches)).toBe(refusal);
  });
});

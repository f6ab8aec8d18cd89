// All forms of the header If-Match, compared with the version of an object.

import { expect, it } from "vitest";
import { checkUnchanged, etagOf } from "../../../../../server/platform/open-api/protocol/if-match.ts";

const second = 1_700_000_000;
const state = (version: number, ms: number, earlier: number) => ({
  version,
  updateAt: second,
  changedUs: (second * 1000 + ms) * 1000 + earlier,
});
const alone = state(3, 250, 0);
/** The state of an object that was changed three times within the same second. */
const third = state(3, 250, 2);
const [within, after] = [second * 1000 + 900, second * 1000 + 1000];

it.each([
  ["no header", "", third, within, "ok"],
  ["any state", "*", third, within, "ok"],
  ["its ETag", etagOf(third), third, within, "ok"],
  ["the ETag of the state before", etagOf(state(2, 250, 1)), third, within, "conflict"],
  ["the ETag of an object that had this version at another time", etagOf(state(3, 251, 2)), third, after, "conflict"],
  ["updateAt of the only state of its second", "1700000000", alone, within, "ok"],
  ["updateAt in quotes", '"1700000000"', alone, within, "ok"],
  ["an earlier updateAt", "1699999999", alone, within, "conflict"],
  ["a later updateAt", "1700000001", alone, within, "conflict"],
  ["updateAt of several states, in their second", "1700000000", third, within, "conflict"],
  ["updateAt of several states, later", "1700000000", third, after, "ok"],
  ["updateAt with a fraction, as earlier versions gave it", "1700000000.25", alone, after, "ok"],
  ["another fraction", "1700000000.251", alone, after, "conflict"],
  ["several ETags, its own among them", `"1-2", ${etagOf(third)} ,"x"`, third, within, "ok"],
  ["several ETags of other states", `"1-2", ${etagOf(state(2, 250, 1))}`, third, within, "conflict"],
  ["an old ETag or updateAt", '"1-2",1700000000', alone, within, "ok"],
  ["its ETag as a weak one", `W/${etagOf(third)}`, third, within, "conflict"],
  ["an ETag that is none of ours", '"abc"', third, after, "conflict"],
  ["an ETag of a star", '"*"', third, after, "conflict"],
  ["a star among others", `${etagOf(third)}, *`, third, after, "invalid"],
  ["an ETag without its end", '"1-2', third, after, "invalid"],
  ["two ETags without a comma", '"1-2" "1-3"', third, after, "invalid"],
  ["16 KB of numbers", "1".repeat(16_000), third, after, "conflict"],
  ["16 KB of commas", ",".repeat(16_000), third, after, "invalid"],
  ["16 KB of ETags", `${'"",'.repeat(5000)}x`, third, after, "invalid"],
  ["a text", "soon", alone, after, "invalid"],
  ["a negative number", "-1", alone, after, "invalid"],
])("%s", (_name, sent, stored, now, expected) => {
  const outcome = () => {
    try {
      checkUnchanged(() => sent, stored, now);
      return "ok";
    } catch (error) {
      const { code } = error as { readonly code: string };
      return code === "VersionConflict" ? "conflict" : code === "InvalidParameter" ? "invalid" : error;
    }
  };
  expect(outcome()).toBe(expected);
});

it("explains in a short message why a weak ETag never matches", () => {
  const sent = `W/"${"x".repeat(5000)}\u0007"`;
  const refused = () => checkUnchanged(() => sent, third, after);
  expect(refused).toThrow(/^The object has changed since W\/"x+.* A weak ETag, W\/, matches nothing\.$/);
  expect(refused).not.toThrow(/x{300}/);
});

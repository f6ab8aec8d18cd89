// If-Match as a client may send it, against a state of an object.

import { expect, it } from "vitest";
import { checkUnchanged, etagOf } from "../../../server/platform/open-api/protocol/if-match.ts";

const second = 1_700_000_000;
const state = (version: number, ms: number, earlier: number) => ({
  version,
  updateAt: second,
  changedUs: (second * 1000 + ms) * 1000 + earlier,
});
const alone = state(3, 250, 0);
/** The second has states before this one. */
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

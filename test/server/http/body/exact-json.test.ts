import "../../../same-seed.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readJson } from "../../../../lib/text/json-text.ts";
import { exactJson } from "../../../../server/http/body/exact-json.ts";

describe("exactJson", () => {
  it.each([
    ["9007199254740993", "9007199254740993"],
    ["-12345678901234567890", "-12345678901234567890"],
    ["1e400", "1e400"],
    ['[1.0, 1e2, -0, 0.1000, {"a" : 18446744073709551615}]', '[1,100,0,0.1,{"a":18446744073709551615}]'],
    ['{"b":1,"2":[],"__proto__":{},"1":null,"b":"\\u0041\\n"}', '{"1":null,"2":[],"b":"A\\n","__proto__":{}}'],
  ])("writes the numbers of %s without losing digits", (text, expected) => {
    expect(exactJson(readJson(text))).toBe(expected);
  });

  it("writes the same text as JSON.stringify for every value that JavaScript can hold", () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(exactJson(readJson(text))).toBe(JSON.stringify(JSON.parse(text)));
      }),
    );
  });
});

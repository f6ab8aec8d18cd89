import { describe, expect, it } from "vitest";
import { withMember } from "../../../../server/http/body/json-member.ts";

describe("one member set in JSON text", () => {
  it.each([
    ["an object without it", '{"a":1.0}', '{"token":"t\\"1","a":1.0}'],
    ["an empty object", " { } ", ' {"token":"t\\"1" } '],
    [
      "a member in any place",
      '{"a": [1,{"b":2}], "token" : "" ,"c":{}}',
      '{"a": [1,{"b":2}], "token" :"t\\"1","c":{}}',
    ],
    ["the last member", '{"a":1,"token":null}', '{"a":1,"token":"t\\"1"}'],
    ["each of several", '{"token":[{"x":1},2],"token":"a"}', '{"token":"t\\"1","token":"t\\"1"}'],
    ["a name with escapes", String.raw`{"tok\u0065n":"a\"}"}`, String.raw`{"tok\u0065n":"t\"1"}`],
    [
      "no member of another object, no value, no part of a text",
      String.raw`{"a":{"token":1},"b":[{"token":2}],"c":"token","d":"{\"token\":\"\\"}`,
      String.raw`{"token":"t\"1","a":{"token":1},"b":[{"token":2}],"c":"token","d":"{\"token\":\"\\"}`,
    ],
  ])("%s", (_, text, expected) => {
    expect(withMember(text, "token", 't"1')).toBe(expected);
    expect(JSON.parse(expected)).toMatchObject({ token: 't"1' });
  });
});

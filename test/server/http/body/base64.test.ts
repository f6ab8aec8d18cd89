import { describe, expect, it } from "vitest";
import { decodeBase64 } from "../../../../server/http/body/base64.ts";

const text = (base64: string) => Buffer.from(decodeBase64(base64)).toString();

describe("base64", () => {
  it("reads padded text and skips line ends", () => {
    expect([text(""), text("YQ=="), text("YWI="), text("YWJj"), text("YW\r\nJj\n"), text("YQ=\r\n=\n")]).toEqual([
      "",
      "a",
      "ab",
      "abc",
      "abc",
      "a",
    ]);
  });

  it("decodes 5 MB", () => {
    const bytes = new Uint8Array(5_000_000).fill(7);
    expect(Buffer.compare(decodeBase64(Buffer.from(bytes).toString("base64")), bytes)).toBe(0);
  });

  it.each([
    ["!", 0],
    ["YQ", 0],
    ["YWJjZ", 4],
    ["YQ=", 3],
    ["YQ=a", 2],
    ["YQ==x", 4],
    ["YWJj*Q==", 4],
    ["=", 0],
    ["Y===", 1],
    ["YW\r\nJjZ", 6],
    ["YQ=\n", 4],
    ["YQ=\na", 3],
    ["YQ==\nx", 5],
    ["YWJjé", 4],
  ])("reports the position of the wrong byte in %s", (base64, offset) => {
    expect(() => decodeBase64(base64)).toThrow(`illegal base64 data at input byte ${offset}`);
  });
});

// The format of the header X-Global-Tags (docs/reference/gateway.md#the-header).

import { describe, expect, it } from "vitest";
import {
  formatHeader,
  fromHeaderBytes,
  joinHeaderLines,
  parseHeader,
  toHeaderBytes,
} from "../../../lib/sharding/header.ts";
import table from "./header-parsing.jsonl?raw";
import { rowsOf } from "./rows.ts";

interface Row {
  readonly header: string;
  readonly pairs: readonly (readonly [string, string])[];
}

describe("the header X-Global-Tags", () => {
  it.each(rowsOf<Row>(table))("$header", ({ header, pairs }) => {
    expect([...parseHeader(header)]).toEqual(pairs);
  });

  it("is joined from several lines, and the first value of a repeated key wins", () => {
    expect([...parseHeader(joinHeaderLines(["a=1", "b=2,a=3"]))]).toEqual([
      ["a", "1"],
      ["b", "2"],
    ]);
  });

  it("is written without control characters, empty values and invalid keys", () => {
    const written = formatHeader([
      ["a", " x\r\ny\0 "],
      ["b", "\t"],
      ["", "x"],
      ["c,d", "x"],
      ["e=f", "x"],
      ["g\r\nh", "x"],
      ["i", "j"],
    ]);
    expect(written).toBe("a=x y,i=j");
  });

  it("is sent and read as UTF-8", () => {
    const bytes = toHeaderBytes("team=支付,é=😀");
    expect(bytes).toBe("team=\u00e6\u0094\u00af\u00e4\u00bb\u0098,\u00c3\u00a9=\u00f0\u009f\u0098\u0080");
    expect(fromHeaderBytes(bytes)).toBe("team=支付,é=😀");
  });
});

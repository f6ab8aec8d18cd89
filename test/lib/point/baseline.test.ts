// Tests of the plain JavaScript decoder that the WebAssembly scan is compared with, beyond the worked examples of
// docs/reference/points.md.

import { describe, expect, it } from "vitest";
import { type LineFailure, PointError } from "../../../lib/point/errors.ts";
import { defaultLimits } from "../../../lib/point/limits.ts";
import { decodeLineProtocolInJs } from "../../baseline/line-protocol.ts";
import { loadModule } from "../wasm/load.ts";
import { encodersOf } from "./encoders.ts";

const now = 1700000000000000000n;
const { encodeLineProtocol } = encodersOf(await loadModule());
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

function decode(body: string | Uint8Array, options: { precision?: string; strict?: boolean } = {}) {
  const bytes = typeof body === "string" ? utf8(body) : body;
  return decodeLineProtocolInJs(bytes, { category: "tracing", now, ...options });
}

function failure(body: string | Uint8Array, options: { precision?: string; strict?: boolean } = {}): PointError {
  try {
    decode(body, options);
  } catch (error) {
    if (error instanceof PointError) return error;
    throw error;
  }
  throw new Error("the body was accepted");
}

describe("line protocol in plain JavaScript", () => {
  it("refuses an empty body", () => {
    expect(failure("").message).toBe("empty data");
  });

  it("shows raw bytes in the quoted body and U+FFFD in the line", () => {
    const body = new Uint8Array([...utf8("m,t="), 0xff, 0xfe, ...utf8(" f="), 0xf0, 0x9f]);
    const { message, lines } = failure(body);
    expect(message).toContain(String.raw`Origin data: "m,t=\xff\xfe f=\xf0\x9f"`);
    expect(lines[0]!.line).toBe("m,t=\ufffd\ufffd f=\ufffd");
  });

  it("reports offset, line and column of a failing line, and the position of the line before", () => {
    const place = ({ pos, offset, lineNumber, column }: LineFailure) => [pos, offset, lineNumber, column];
    const { lines } = failure('bad\n#c\n\n  bad\nm s="a\nb" 1\nbad');
    expect(lines.map(place)).toEqual([
      [1, 0, 1, 1],
      [5, 10, 4, 3],
      [27, 26, 7, 1],
    ]);
  });

  it("keeps a carriage return without a following newline, or inside of a string", () => {
    expect(failure("m f=1 1\r").lines[0]!.reason).toBe("bad timestamp");
    expect(encodeLineProtocol(decode('m s="a\r\nb" 1\r\nm s="c\r" 1'))).toBe(
      'm s="a\r\nb" 1000000000\nm s="c\r" 1000000000',
    );
  });

  it("refuses a series key above 65535 bytes, alone or together with a field key", () => {
    const tags = Array.from({ length: 64 }, (_, i) => `t${String(i).padStart(2, "0")}=${"v".repeat(1019)}`).join(",");
    const series = `m,${tags}`;
    expect(series).toHaveLength(65537);
    expect(failure(`${series} f=1`).lines[0]!.reason).toBe("max key length exceeded: 65537 > 65535");
    expect(failure(`${series.slice(0, -5)} fields=1`).lines[0]!.reason).toBe("max key length exceeded: 65542 > 65535");
    expect(decode(`${series.slice(0, -7)} f=1`)).toHaveLength(1);
  });

  it("drops the last fields of a line and the last tags in key order beyond the limits", () => {
    const limits = { ...defaultLimits, maxTags: 2, maxFields: 2 };
    const body = utf8("m,c=1,b=2,a=3 z=1,y=2,x=3 1");
    const points = decodeLineProtocolInJs(body, { category: "metric", now, limits });
    expect(encodeLineProtocol(points)).toBe("m,a=3,b=2 y=2,z=1 1000000000");
    expect(points[0]!.warnings.map((warning) => warning.message)).toEqual([
      "exceed max field count(2), got 3 fields, extra fields deleted",
      "exceed max tag count(2), got 3 tags, extra tags deleted",
    ]);
  });

  it("keeps fields in line order, a tag in place of the field with its name, then the other tags by key", () => {
    const keys = [...decode("m,z=1,b=2,a=3 y=1,b=2,x=3,y=4")[0]!.entries()].map((entry) => entry.key);
    expect(keys).toEqual(["y", "b", "x", "a", "z"]);
  });

  it("keeps all 64 bits of integers", () => {
    const body = "m a=9007199254740993i,b=-9007199254740993i,c=18446744073709551615u,d=9007199254740991i 1";
    expect(encodeLineProtocol(decode(body))).toBe(`${body}000000000`);
  });
});

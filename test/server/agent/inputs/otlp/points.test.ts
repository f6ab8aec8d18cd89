// The OTLP decoder on arbitrary bytes: it returns points or throws ConversionError, and its work is bounded by the
// length of the body.

import { ConversionError } from "../../../../../server/agent/ingest/converter.ts";
import "../../../../same-seed.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type OtlpEncoding, otlpPoints, type Signal } from "../../../../../server/agent/inputs/otlp/points.ts";
import { encodeRequest } from "../../../support/otlp-messages.ts";

const signals: readonly Signal[] = ["traces", "metrics", "logs"];
const maxBytes = 1 << 20;

/** Returns the points, or undefined when the decoder refuses the body. */
function pointsOf(body: Uint8Array, signal: Signal, encoding: OtlpEncoding): unknown[] | undefined {
  try {
    return JSON.parse(Buffer.from(otlpPoints(body, signal, encoding, maxBytes).points).toString());
  } catch (error) {
    if (error instanceof ConversionError) return undefined;
    throw error;
  }
}

const value: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: "small" },
    fc.record({ stringValue: fc.string({ unit: "binary" }) }),
    fc.record({ intValue: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String) }),
    fc.record({ doubleValue: fc.double() }),
    fc.record({ arrayValue: fc.record({ values: fc.array(tie("any"), { maxLength: 3 }) }) }),
    fc.record({
      kvlistValue: fc.record({ values: fc.array(fc.record({ key: key(), value: tie("any") }), { maxLength: 3 }) }),
    }),
    fc.constant({}),
  ),
})).any;
function key(): fc.Arbitrary<string> {
  return fc.oneof(fc.constantFrom("__proto__", "constructor", "status", "a.b", ""), fc.string());
}
const attributes = fc.array(fc.record({ key: key(), value }), { maxLength: 5 });
const time = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(String);
const id = (bytes: number) =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((all) => Buffer.from(all).toString("hex"));
const logs = fc.array(
  fc.record({ timeUnixNano: time, body: value, attributes, severityNumber: fc.nat(30), traceId: id(16) }),
  {
    maxLength: 4,
  },
);
const requestOf = (logRecords: unknown) => ({ resourceLogs: [{ scopeLogs: [{ logRecords }] }] });

describe("the OTLP decoder", () => {
  it("throws nothing but refusals on arbitrary bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), fc.constantFrom(...signals), (bytes, signal) => {
        pointsOf(bytes, signal, "protobuf");
        pointsOf(bytes, signal, "json");
      }),
      { numRuns: 3000 },
    );
  });

  it("throws nothing but refusals on requests with changed bytes", () => {
    fc.assert(
      fc.property(logs, fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 4 }), (records, changes) => {
        for (const bytes of [
          encodeRequest("logs", requestOf(records)),
          Buffer.from(JSON.stringify(requestOf(records))),
        ]) {
          const broken = Uint8Array.from(bytes);
          for (const [at, byte] of changes) if (broken.length > 0) broken[at % broken.length] = byte;
          for (const signal of signals) {
            pointsOf(broken, signal, "protobuf");
            pointsOf(broken, signal, "json");
          }
        }
      }),
      { numRuns: 500 },
    );
  });

  it("returns the same points for both encodings", () => {
    fc.assert(
      fc.property(logs, (records) => {
        // JSON has no infinities and no NaN, so OTLP writes them as strings in JSON.
        const text = JSON.stringify(requestOf(records), (name, each) =>
          name === "doubleValue" && !Number.isFinite(each) ? String(each) : each,
        );
        const one = pointsOf(encodeRequest("logs", JSON.parse(text)), "logs", "protobuf");
        expect(pointsOf(Buffer.from(text), "logs", "json")).toEqual(one);
        expect(one).toBeDefined();
      }),
      { numRuns: 500 },
    );
  });

  it.each(signals)("limits its memory for a request of very many empty %s", (signal) => {
    const level = (number: number, bytes: Uint8Array) =>
      Buffer.concat([Buffer.from([number * 8 + 2]), varint(bytes.length), bytes]);
    // In protobuf, an empty element takes only two bytes, so a body can have very many of them. The test sends a body
    // with many empty records, and then a body of one record with many empty attributes.
    const empties = Buffer.alloc(4_000_000, Uint8Array.from([0x12, 0]));
    const result = () => otlpPoints(level(1, level(2, empties)), signal, "protobuf", maxBytes);
    if (signal === "logs") expect(result).toThrow("its points take more than 1048576 bytes");
    else expect(JSON.parse(Buffer.from(result().points).toString())).toEqual([]);
    const attribute = { traces: 9 * 8 + 2, metrics: 5 * 8 + 2, logs: 6 * 8 + 2 }[signal];
    const many = Buffer.alloc(4_000_000, Uint8Array.from([attribute, 0]));
    const held = () => otlpPoints(level(1, level(2, level(2, many))), signal, "protobuf", maxBytes);
    if (signal === "metrics") expect(JSON.parse(Buffer.from(held().points).toString())).toEqual([]);
    else expect(held).toThrow("more than 1000000 values in one record");
  });

  it("counts the values of a JSON body before it parses them", () => {
    const body = Buffer.concat([Buffer.from('{"resourceLogs":['), Buffer.alloc(9_000_000, "1,"), Buffer.from("1]}")]);
    expect(() => otlpPoints(body, "logs", "json", maxBytes)).toThrow("more than 4000000 values in one body");
  });
});

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest >>>= 7) bytes.push((rest & 127) | 128);
  return Buffer.from([...bytes, rest]);
}

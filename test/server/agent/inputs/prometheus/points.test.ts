// Prometheus remote writes that are cut off or malformed must be refused. A sender never repeats a body that was
// answered with 204, so its samples would be lost.

import protobuf from "protobufjs";
import snappy from "snappyjs";
import { describe, expect, it } from "vitest";
import { ConversionError } from "../../../../../server/agent/ingest/converter.ts";
import { prometheusPoints } from "../../../../../server/agent/inputs/prometheus/points.ts";
import { decompressed } from "../../../../../server/agent/inputs/protobuf/snappy.ts";

const WriteRequest = protobuf
  .parse(
    `syntax = "proto3";
    message WriteRequest { repeated TimeSeries timeseries = 1; }
    message TimeSeries { repeated Label labels = 1; repeated Sample samples = 2; }
    message Label { string name = 1; string value = 2; }
    message Sample { double value = 1; int64 timestamp = 2; }`,
  )
  .root.lookupType("WriteRequest");

const labels = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ name: `label_${at}`, value: `value ${at} `.repeat(1 + at) }));
const request = WriteRequest.encode(
  WriteRequest.fromObject({
    timeseries: Array.from({ length: 20 }, (_, series) => ({
      labels: [{ name: "__name__", value: `node_load${series}` }, ...labels(series)],
      samples: Array.from({ length: 10 }, (_, at) => ({ value: at / 3, timestamp: 1700000000000 + at * 15_000 })),
    })),
  }),
).finish();
const limit = 1 << 20;
const pointsIn = (body: Uint8Array) => JSON.parse(new TextDecoder().decode(prometheusPoints(body, true, limit))).length;

describe("a compressed remote write", () => {
  const block = snappy.compress(request);

  it("of 200 samples is read whole, and is refused when it is cut off at any length", () => {
    expect(pointsIn(block)).toBe(200);
    for (let cut = 0; cut < block.length; cut++) {
      expect(() => prometheusPoints(block.subarray(0, cut), true, limit), `${cut} bytes`).toThrow(ConversionError);
    }
  });

  it("may contain literals of every length, and may be empty", () => {
    for (const bytes of [0, 1, 59, 60, 61, 256, 257, 65_536, 65_537, 200_000]) {
      // No sequence of four bytes occurs twice in the body. So snappy finds nothing to copy, and writes only literals.
      const body = new Uint8Array(bytes).map((_, at) => (at * 2654435761) >>> 13);
      expect(Buffer.compare(decompressed(snappy.compress(body), limit), body), `${bytes} bytes`).toBe(0);
    }
  });

  it("is refused when it is longer or shorter than its declared length", () => {
    for (const [bytes, reason] of [
      [[3, 0x08, 97, 98, 99], undefined],
      [[2, 0x08, 97, 98, 99], "snappy: 3 of 2 bytes are there"],
      [[4, 0x08, 97, 98, 99], "snappy: 3 of 4 bytes are there"],
      [[120], "snappy: 0 of 120 bytes are there"],
      [[0x80], "snappy: the block does not begin with a length"],
      [[0xff, 0xff, 0xff, 0x7f], `snappy: 268435455 bytes, which is more than ${limit}`],
      // The first three snappy blocks copy earlier bytes with offsets of 11, 16 and 32 bits. The next three are the
      // same blocks without the last byte of the offset. The last block copies from before the beginning of the output.
      [[7, 0x08, 97, 98, 99, 0x01, 3], undefined],
      [[7, 0x08, 97, 98, 99, 0x0e, 3, 0], undefined],
      [[7, 0x08, 97, 98, 99, 0x0f, 3, 0, 0, 0], undefined],
      [[7, 0x08, 97, 98, 99, 0x01], "snappy: 3 of 7 bytes are there"],
      [[7, 0x08, 97, 98, 99, 0x0e, 3], "snappy: 3 of 7 bytes are there"],
      [[7, 0x08, 97, 98, 99, 0x0f, 3, 0, 0], "snappy: 3 of 7 bytes are there"],
      [[7, 0x08, 97, 98, 99, 0x01, 4], "snappy: Invalid Snappy bitstream"],
    ] as const) {
      const open = () => new TextDecoder().decode(decompressed(Uint8Array.from(bytes), limit));
      if (reason === undefined) expect(open()).toMatch(/^abc(?:abca)?$/);
      else expect(open).toThrow(new ConversionError(reason));
    }
  });
});

it.each([
  ["field 0", [0x0a, 2, 0, 0], "byte 3: illegal tag 0"],
  ["field 0 of bytes", [0x02, 0], "byte 1: illegal tag 2"],
  ["a field beyond the last", [0x82, 0x80, 0x80, 0x80, 0x10, 0], "byte 5: illegal tag 4294967298"],
])("refuses %s", (_, bytes, reason) => {
  expect(() => prometheusPoints(Uint8Array.from(bytes), false, limit)).toThrow(new ConversionError(reason));
});

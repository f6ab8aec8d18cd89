// The output of encoders as a stream: chunks, long strings, many points, sinks that throw. The output must equal that
// of the plain JavaScript encoder.

import { beforeEach, describe, expect, it } from "vitest";
import { decodeInWindows, decodePoints } from "../../../../lib/point/codec/decode.ts";
import { encodePoints, encodeTo, type Form } from "../../../../lib/point/codec/encode.ts";
import { Point } from "../../../../lib/point/point.ts";
import { Float, PointArray } from "../../../../lib/point/value.ts";
import { Key, type PointView } from "../../../../lib/point/view.ts";
import type { Bytes } from "../../../../lib/text/bytes.ts";
import type { WasmModule } from "../../../../lib/wasm/module.ts";
import * as baseline from "../../../baseline/encode.ts";
import { encodeWithProtobufjs } from "../../../baseline/protobuf.ts";
import { seeded } from "../../../bench/data/dice.ts";
import { loadModule } from "../../wasm/load.ts";

const now = 1700000000000000000n;
const utf8 = new TextEncoder();
const options = { category: "tracing", now } as const;
const forms: readonly Form[] = ["lp", "json", "pbjson", "pb"];

let module: WasmModule;
beforeEach(async () => {
  module = await loadModule();
});

const oracles: Readonly<Record<Exclude<Form, "pb">, (points: Iterable<PointView>) => string>> = {
  lp: baseline.encodeLineProtocol,
  json: baseline.encodeJson,
  pbjson: baseline.encodePbjson,
};

/**
 * Expects the same output as from the baseline encoder in every wire format, for points in JavaScript and for the same
 * points decoded to a batch.
 */
function expectAsBaseline(points: readonly Point[]): void {
  const batch = decodePoints(module, encodePoints(module, points, "lp"), "lp", { ...options, precision: "n" });
  for (const form of ["lp", "json", "pbjson"] as const) {
    const expected = utf8.encode(oracles[form](points));
    expectSame(encodePoints(module, points, form), expected);
    expectSame(encodePoints(module, batch, form), utf8.encode(oracles[form](batch)));
  }
  const again = decodePoints(module, encodeWithProtobufjs(points), "pb", { ...options, precision: "n" });
  const sent = encodePoints(module, points, "pb");
  expectSame(sent, encodePoints(module, again, "pb"));
  batch.release();
  again.release();
  expect(module.used).toBe(0);
}

/** Expects equal bytes. Searching the first difference is faster than an assertion for each byte. */
function expectSame(got: Uint8Array, expected: Uint8Array): void {
  expect(got.length).toBe(expected.length);
  const at = got.findIndex((byte, i) => byte !== expected[i]);
  expect([at, at < 0 ? "" : String.fromCharCode(...got.subarray(at - 20, at + 20))]).toEqual([-1, ""]);
}

function pointWith(text: string): Point {
  const point = new Point("m", now);
  point.setField(new Key("s"), text);
  return point;
}

describe("long texts", () => {
  const lengths = [
    15, 16, 17, 63, 64, 65, 127, 255, 256, 257, 16383, 16384, 16385, 32769, 65536, 262143, 262144, 262200, 400_000,
  ];

  it("without any escape match the output of the JavaScript encoder", () => {
    expectAsBaseline(lengths.map((length) => pointWith("x".repeat(length))));
  });

  it.each(['"', "\\", '\\"', "\\\\", "\n", "\x01", "é", "中", "\u{1f30a}", "\ufffd"])(
    "with %j at every offset of a block match the output of the JavaScript encoder",
    (special) => {
      expectAsBaseline(Array.from({ length: 70 }, (_, i) => pointWith("x".repeat(i) + special + "y".repeat(80))));
      expectAsBaseline(Array.from({ length: 70 }, (_, i) => pointWith("x".repeat(i) + special.repeat(i % 5))));
      expectAsBaseline(
        lengths.map((length) => pointWith("x".repeat(length - 1) + special + "x".repeat(300) + special)),
      );
    },
  );

  it.each(['\\"', "\\\\", '\\\\"', '"', "\\\\\\", "\n", "\\n"])("with %j every so many bytes", (special) => {
    const gaps = [1, 5, 13, 14, 15, 16, 17, 40, 61, 62, 63, 64, 65, 250];
    expectAsBaseline(gaps.map((gap) => pointWith(("z".repeat(gap) + special).repeat(6000 / gap))));
    expectAsBaseline(gaps.slice(8).map((gap) => pointWith(("z".repeat(gap) + special).repeat(150_000 / gap))));
  });

  it("of quotes and backslashes in any order match the output of the JavaScript encoder", () => {
    const random = seeded(5);
    const pick = (from: string) => from[Math.floor(random() * from.length)]!;
    for (const alphabet of ['\\"', '\\\\\\"a', '\\"abcdefgh\n', '\\a\u00e9"bcdefghijklmnopqrstuvwxyz']) {
      const texts = Array.from({ length: 300 }, (_, i) => Array.from({ length: i }, () => pick(alphabet)).join(""));
      expectAsBaseline(texts.map(pointWith));
    }
  });

  it("in one point that exceed the cache of lengths match the output of the JavaScript encoder", () => {
    const point = new Point("m", now);
    for (let i = 0; i < 12; i++) point.setField(new Key(`s${i}`), 'quoted "text" '.repeat(100 + 700 * (i % 4)));
    expectAsBaseline([point, pointWith('"'), point]);
  });

  it("of escapes only, over more than a chunk, match the output of the JavaScript encoder", () => {
    expectAsBaseline([
      pointWith('"'.repeat(300_000)),
      pointWith("\\".repeat(300_001)),
      pointWith("\x02\n".repeat(100_000)),
    ]);
    expectAsBaseline([pointWith("中文é\u{1f30a}".repeat(50_000)), pointWith('中"'.repeat(90_000))]);
  });

  it("of 32 MiB are encoded at once, and in chunks with bounded memory", () => {
    const text = `${"log \\n text ".repeat(2_796_202)}"end`.slice(0, 32 * 1024 * 1024);
    const batch = decodePoints(module, utf8.encode(`m s="${text.replaceAll('"', '\\"')}" 1`), "lp", options);
    const held = module.used;
    for (const form of forms) {
      let length = 0;
      let most = 0;
      encodeTo(module, batch, form, (chunk) => {
        length += chunk.length;
        most = Math.max(most, module.used);
      });
      expect(encodePoints(module, batch, form)).toHaveLength(length);
      expect(most - held).toBeLessThan(1024 * 1024);
    }
    const again = decodePoints(module, encodePoints(module, batch, "pb"), "pb", options);
    expect((again.at(0).get(new Key("s")) as Bytes).length).toBe(text.length);
    again.release();
    batch.release();
    expect(module.used).toBe(0);
  });

  it("in keys, names and tags match the output of the JavaScript encoder", () => {
    const point = new Point(`m${"n".repeat(70_000)}`, now);
    point.setField(new Key("k".repeat(300_000)), 1);
    point.setField(new Key("k,= ".repeat(80_000)), 1);
    point.setTag(new Key("t"), 'v"'.repeat(100_000));
    for (const form of ["json", "pbjson"] as const) {
      expectSame(encodePoints(module, [point], form), utf8.encode(oracles[form]([point])));
    }
    expect(encodePoints(module, [point], "lp")).toHaveLength(0);
  });
});

describe("many points", () => {
  it("over many chunks match the output of the JavaScript encoder", () => {
    const points = Array.from({ length: 9000 }, (_, i) => {
      const point = new Point(`name-${i % 3}`, now + BigInt(i));
      for (let j = 0; j < 5; j++) point.setField(new Key(`field-${(i + j) % 11}`), j % 2 === 0 ? new Float(i / 7) : i);
      point.setTag(new Key("host"), `h${i}`);
      return point;
    });
    expectAsBaseline(points);
  });

  it("with thousands of fields are written in the order of their keys", () => {
    const wide = new Point("m", now);
    for (let i = 0; i < 6000; i++) wide.setField(new Key(`f${(i * 7919) % 6000}`), i);
    const list = new Point("m", now);
    list.setField(new Key("a"), new PointArray(Array.from({ length: 100_000 }, (_, i) => new Float(i / 3))));
    for (const form of ["lp", "json", "pbjson"] as const) {
      const points = [pointWith("x"), wide, pointWith("y"), list];
      expectSame(encodePoints(module, points, form), utf8.encode(oracles[form](points)));
    }
  });

  it("can be encoded in part, from one index to another", () => {
    const batch = decodePoints(module, utf8.encode("m a=1i 1\nm a=2i 2\nm a=3i 3"), "lp", options);
    const text = (from: number, to?: number) =>
      new TextDecoder().decode(encodePoints(module, batch, "lp", to === undefined ? { from } : { from, to }));
    expect([text(1), text(0, 1), text(1, 2), text(2, 1), text(5, 9)]).toEqual([
      "m a=2i 2000000000\nm a=3i 3000000000",
      "m a=1i 1000000000",
      "m a=2i 2000000000",
      "",
      "",
    ]);
    const points = [batch.point(0), batch.point(1), batch.point(2)];
    expect(encodePoints(module, points, "lp", { from: 1, to: 2 })).toEqual(
      encodePoints(module, batch, "lp", { from: 1, to: 2 }),
    );
    // Mixes points that are JavaScript objects (`points`) with points that are read from the batch (`batch.at`). The
    // output has the points in the given order.
    const mixed = function* (): Iterable<PointView> {
      yield points[2]!;
      yield batch.at(0);
      yield points[1]!;
    };
    expect(new TextDecoder().decode(encodePoints(module, mixed(), "lp"))).toBe(
      "m a=3i 3000000000\nm a=1i 1000000000\nm a=2i 2000000000",
    );
    batch.release();
  });
});

describe("several batches", () => {
  it("are written like one batch with all their points", () => {
    const line = (i: number) =>
      `name-${i % 5},host=h${i % 7},k${i % 90}=t f${i % 50}=${i}i,a.b=${i}.5,s="x" 17000000000${10 + (i % 80)}`;
    const body = utf8.encode(Array.from({ length: 20_000 }, (_, i) => line(i)).join("\n"));
    const whole = decodePoints(module, body, "lp", { ...options, category: "logging" });
    for (const form of forms) {
      const windows = decodeInWindows(module, body, "lp", { ...options, category: "logging" });
      expectSame(encodePoints(module, windows, form), encodePoints(module, whole, form));
    }
    whole.release();
    expect(module.used).toBe(0);
  });

  it("may be mixed with points in JavaScript, and may come from another instance", async () => {
    const other = decodePoints(await loadModule(), utf8.encode("m a=1i 1\nm a=2i 2"), "lp", options);
    const batches = [pointWith("x"), other];
    expect(new TextDecoder().decode(encodePoints(module, batches, "lp"))).toBe(
      `m s="x" ${now}\nm a=1i 1000000000\nm a=2i 2000000000`,
    );
    other.release();
  });
});

describe("a sink", () => {
  it("that throws ends the encoding, frees the memory and does not affect the next encoding", () => {
    const points = [pointWith("x".repeat(600_000))];
    const refuse = () => {
      throw new Error("disk full");
    };
    expect(() => encodeTo(module, points, "json", refuse)).toThrow("disk full");
    expect(module.used).toBe(0);
    expect(encodePoints(module, points, "lp")).toHaveLength(600_000 + 26);
  });

  it("is not allowed to start another encoding", () => {
    const nested = () => void encodePoints(module, [pointWith("x")], "lp");
    expect(() => encodeTo(module, [pointWith("x")], "lp", nested)).toThrow("being encoded already");
    expect(module.used).toBe(0);
  });

  it("gets the points, and encodeTo returns how many were written", () => {
    const empty = new Point("m", now);
    expect(encodeTo(module, [pointWith("x"), empty, pointWith("y")], "lp", () => {})).toBe(2);
    expect(encodeTo(module, [pointWith("x"), empty], "pb", () => {})).toBe(2);
  });
});

it("a released batch is refused", () => {
  const batch = decodePoints(module, utf8.encode("m a=1i 1"), "lp", options);
  batch.release();
  for (const form of forms) expect(() => encodePoints(module, batch, form)).toThrow("released");
  expect(module.used).toBe(0);
});

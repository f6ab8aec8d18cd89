// Bodies that are decoded in windows: each window has a limited number of tags and fields, and all use the same memory.
// The points must be the same as when the body is decoded at once. Memory is bounded by the size of the body plus a
// constant.

import fc from "fast-check";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { decodeInWindows, decodePoints } from "../../../lib/point/codec/decode.ts";
import { encodePoints, encodeTo } from "../../../lib/point/codec/encode.ts";
import { PointError } from "../../../lib/point/errors.ts";
import { Point } from "../../../lib/point/point.ts";
import { Key } from "../../../lib/point/view.ts";
import { byteLength } from "../../../lib/text/utf8.ts";
import { pageSize, type WasmModule } from "../../../lib/wasm/module.ts";
import { logLines, metricLines } from "../../bench/data/regular.ts";
import { loadModule } from "../wasm/load.ts";
import { encodersOf } from "./encoders.ts";

const options = { category: "logging", now: 1700000000000000000n } as const;
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const megabyte = 2 ** 20;

let module: WasmModule;
beforeEach(async () => {
  module = await loadModule();
});

function atOnce(body: Uint8Array): Point[] {
  const batch = decodePoints(module, body, "lp", options);
  const points = Array.from({ length: batch.length }, (_, index) => batch.point(index));
  batch.release();
  return points;
}

function inWindows(body: Uint8Array, entries: number): Point[] {
  const points: Point[] = [];
  for (const batch of decodeInWindows(module, body, "lp", options, entries)) {
    for (const point of batch) points.push(Point.copyOf(point));
  }
  return points;
}

describe("windows", () => {
  const line = fc.constantFrom(
    "m f=1 1",
    "m,t=a,b=c f=1i,g=t 1700000000",
    'm s="a\\"b" 5',
    "# comment",
    "",
    "m\\ n,a.b=1 f=[1i] 9",
    "m,t=1,t=2 source=1,a.b=2 3",
    'm s="two\nlines",status="x" 3',
  );

  it("return the same points and warnings as the whole body", () => {
    fc.assert(
      fc.property(fc.array(line, { maxLength: 30 }), fc.integer({ min: 1, max: 12 }), (lines, entries) => {
        const body = utf8(`${lines.join("\n")}\n`);
        expect(inWindows(body, entries)).toEqual(atOnce(body));
        expect(module.used).toBe(0);
      }),
      { numRuns: 300 },
    );
  });

  it("refuse a wrong body with the same message as decoding it at once", () => {
    const body = utf8(`${"m f=1 1\n".repeat(10)}bad\n${"m f=2\n".repeat(10)}m f=x\nm f=3 1`);
    const messageOf = (run: () => unknown): string => {
      try {
        run();
      } catch (error) {
        if (error instanceof PointError) return error.message;
        throw error;
      }
      return "accepted";
    };
    const expected = messageOf(() => atOnce(body));
    expect(expected).toContain("with 21 point parse ok, 2 points failed");
    expect(messageOf(() => inWindows(body, 4))).toBe(expected);
    expect(module.used).toBe(0);
  });

  it("decode the text of their own lines only, and only once", () => {
    const body = utf8(logLines(2000));
    const decode = vi.spyOn(TextDecoder.prototype, "decode");
    try {
      const names: string[] = [];
      let windows = 0;
      for (const batch of decodeInWindows(module, body, "lp", options, 300)) {
        windows++;
        for (const point of batch) names.push(`${point.name} ${point.get(new Key("host"))}`);
      }
      const bytes = decode.mock.calls.reduce((sum, [input]) => sum + (input as Uint8Array).length, 0);
      expect(windows).toBeGreaterThan(10);
      // The library decodes each line to a string only once. In addition, it decodes only the key `status`, which no
      // line contains, because the corrections add it.
      expect(bytes).toBeLessThan(body.length * 1.01);
      expect(names).toEqual(atOnce(body).map((point) => `${point.name} ${point.get(new Key("host"))}`));
    } finally {
      decode.mockRestore();
    }
  });

  it("release the points of the window before", () => {
    const windows = decodeInWindows(module, utf8("m f=1 1\nm f=2 2\n"), "lp", options, 1);
    const first = windows.next()!;
    const point = first.at(0);
    first.release();
    windows.next();
    expect(() => point.name).toThrow("released");
    windows.release();
    expect(module.used).toBe(0);
  });

  it("can be read again from the start, and report the last window", () => {
    const windows = decodeInWindows(module, utf8("m f=1 1\nm f=2 2\nm f=3 3"), "lp", options, 1);
    const times = (): bigint[] => Array.from(windows, (batch) => batch.at(0).time / 1_000_000_000n);
    const seen: boolean[] = [];
    while (windows.next() !== undefined) seen.push(windows.isAtEnd);
    expect(seen).toEqual([false, false, true]);
    expect(windows.next()).toBeUndefined();
    expect(module.used).toBe(0);
    expect(times()).toEqual([1n, 2n, 3n]);
    windows.next();
    windows.next();
    windows.rewind();
    expect(windows.next()!.at(0).time).toBe(1_000_000_000n);
    for (const batch of windows) {
      expect(batch.at(0).time).toBe(1_000_000_000n);
      break;
    }
    expect(module.used).toBe(0);
  });
});

describe("windows of JSON, PBJSON and protobuf bodies", () => {
  const forms = ["json", "pbjson", "pb"] as const;
  const element = fc.constantFrom(
    '{"measurement":"m","fields":{"a":1,"b":"x\\n"},"tags":{"t":"v"},"time":1}',
    '{"measurement":"m","fields":{"a.b":[1,2],"c":null}}',
    '{"name":"p","fields":[{"key":"i","i":"9007199254740993","unit":"B"},{"key":"h","s":"a","is_tag":true}],"time":"5"}',
    "{}",
    '{"measurement":"","fields":{}}',
  );
  const fault = fc.constantFrom(
    "null",
    '{"measurement":1}',
    "1",
    '{"measurement":"m","fields":{"a":1},"time":"x"}',
    "{,}",
  );
  const say = (run: () => Point[]): unknown => {
    try {
      return run().map((point) => [point.name, point.time, [...point.entries()], point.warnings]);
    } catch (error) {
      if (error instanceof PointError) return error.message;
      throw error;
    }
  };
  const read = (body: Uint8Array, form: "json" | "pb", entries?: number): unknown =>
    say(() => {
      if (entries !== undefined) {
        return Array.from(decodeInWindows(module, body, form, options, entries), (batch) =>
          Array.from(batch, (point) => Point.copyOf(point)),
        ).flat();
      }
      const batch = decodePoints(module, body, form, options);
      const points = Array.from(batch, (point) => Point.copyOf(point));
      batch.release();
      return points;
    });

  it("return the same points, warnings and errors as the whole body: JSON and PBJSON", () => {
    const parts = fc.array(fc.oneof({ weight: 30, arbitrary: element }, fault), { maxLength: 25 });
    const ending = fc.constantFrom("]", "]", "]", " ] \n", ",]", "", "] x");
    fc.assert(
      fc.property(parts, ending, fc.integer({ min: 1, max: 12 }), (list, end, entries) => {
        const body = utf8(`[${list.join(" , ")}${end}`);
        expect(read(body, "json", entries)).toEqual(read(body, "json"));
        expect(module.used).toBe(0);
      }),
      { numRuns: 400 },
    );
  });

  it("return the same points, warnings and errors as the whole body: protobuf", () => {
    fc.assert(
      fc.property(
        fc.array(element, { minLength: 1, maxLength: 25 }),
        fc.integer({ min: 1, max: 12 }),
        fc.option(fc.tuple(fc.nat(), fc.nat(255))),
        (list, entries, damage) => {
          const points = decodePoints(module, utf8(`[${list.join(",")}]`), "json", { ...options, category: "tracing" });
          const body = encodePoints(module, points, "pb");
          points.release();
          if (damage !== null) body[damage[0] % body.length] = damage[1];
          expect(read(body, "pb", entries)).toEqual(read(body, "pb"));
          expect(module.used).toBe(0);
        },
      ),
      { numRuns: 400 },
    );
  });

  it.each(forms)("use the memory of the body plus a constant, however dense the body is: %s", (form) => {
    const most = (count: number): number => {
      const body =
        form === "pb"
          ? new Uint8Array(Array.from({ length: count }, () => [0x0a, 0x00]).flat())
          : utf8(`[${Array.from({ length: count }, () => (form === "json" ? "{}" : '{"name":"m"}')).join(",")}]`);
      let peak = 0;
      let points = 0;
      for (const batch of decodeInWindows(module, body, form, options)) {
        peak = Math.max(peak, module.used);
        points += batch.length;
      }
      expect(points).toBe(count);
      return peak - body.length;
    };
    most(200_000);
    const small = most(400_000);
    expect(most(800_000)).toBeLessThanOrEqual(small + 2 * pageSize);
    expect(small).toBeLessThan(16 * megabyte);
  });
});

describe("windows that are encoded", () => {
  it("carry the warnings of their own points", () => {
    const body = utf8(Array.from({ length: 12 }, (_, i) => `m,a.b.${i}=1 f=${i} 1\nm f=1 3`).join("\n"));
    const { encodePbjson } = encodersOf(module);
    const whole = decodePoints(module, body, "lp", options);
    const expected: unknown[] = JSON.parse(encodePbjson(whole));
    whole.release();
    const found: unknown[] = [];
    for (const batch of decodeInWindows(module, body, "lp", options, 6)) found.push(...JSON.parse(encodePbjson(batch)));
    expect(found).toEqual(expected);
  });
});

describe("memory", () => {
  const busiest = (body: Uint8Array): number => {
    let most = 0;
    for (const batch of decodeInWindows(module, body, "lp", options)) {
      most = Math.max(most, module.used);
      batch.release();
    }
    return most;
  };

  const forms = ["lp", "json", "pbjson", "pb"] as const;
  const benchBodies = [
    ["metric lines", "metric", metricLines(3000)],
    ["log lines", "logging", logLines(4000)],
  ] as const;

  it.each(benchBodies.flatMap(([name, ...rest]) => forms.map((form) => [name, form, ...rest] as const)))(
    "stays under three times the body, decoded and encoded: %s, %s",
    (_, form, category, text) => {
      const lines = decodePoints(module, utf8(text), "lp", { ...options, category });
      const body = encodePoints(module, lines, form).slice();
      lines.release();
      expect(module.used).toBe(0);
      for (const to of forms) {
        let most = 0;
        const look = () => void (most = Math.max(most, module.used));
        for (const batch of decodeInWindows(module, body, form, { ...options, category })) {
          look();
          encodeTo(module, batch, to, look);
          batch.release();
        }
        expect(most).toBeGreaterThan(body.length);
        expect(most).toBeLessThan(3 * body.length);
        expect(module.used).toBe(0);
      }
    },
  );

  it("is bounded by the body also when JSON is not valid UTF-8 or not closed", () => {
    const most = (count: number, end: readonly number[]): number => {
      const text = utf8(`[${Array.from({ length: count }, () => "{}").join(",")}]`);
      const body = new Uint8Array([...text.subarray(0, text.length - 1), ...end]);
      let peak = 0;
      try {
        for (const batch of decodeInWindows(module, body, "json", options))
          peak = batch.length > 0 ? Math.max(peak, module.used) : peak;
      } catch (error) {
        if (!(error instanceof PointError)) throw error;
      }
      expect(module.used).toBe(0);
      return peak - body.length;
    };
    const strange = [...utf8(',{"x":"'), 0xff, ...utf8('"}]')];
    for (const end of [strange, []]) {
      most(200_000, end);
      const small = most(400_000, end);
      expect(most(800_000, end)).toBeLessThanOrEqual(small + 2 * pageSize);
      expect(small).toBeLessThan(16 * megabyte);
    }
  });

  it.each([
    ["the least lines", () => "m f=1\n"],
    ["a key of its own in each line", (at: number) => `m k${at}=1\n`],
    ["a measurement of its own in each line", (at: number) => `m${at} f=1\n`],
    ["corrections in each line", () => "m a.b=1,source=2\n"],
    ["escapes in each line", () => "m\\ n,a\\ b=c\\ d f=1\n"],
  ])("is bounded by the body plus a constant for dense bodies: %s", (_, line) => {
    const most = (size: number): number => {
      const body = utf8(Array.from({ length: size }, (_, at) => line(at)).join(""));
      return busiest(body) - body.length;
    };
    most(20_000);
    const small = most(100_000);
    expect(most(300_000)).toBeLessThanOrEqual(small + 2 * pageSize);
    expect(small).toBeLessThan(12 * megabyte);
  });

  it("does not grow while 1 GB is decoded in bodies of 1 MB", () => {
    const bodies = [utf8(metricLines(3000)), utf8(logLines(4000))];
    let size = 0;
    for (let at = 0; at < 1024; at++) {
      decodePoints(module, bodies[at % 2]!, "lp", options).release();
      if (at === 1) ({ size } = module);
    }
    expect(module.size).toBe(size);
    expect(size).toBeLessThan(8 * megabyte);
  });

  it("has room for a string of 32 MiB", () => {
    const length = 32 * megabyte;
    const body = new Uint8Array(length + 10).fill(0x61);
    body.set(utf8('m s="'));
    body.set(utf8('" 17'), length + 5);
    const batch = decodePoints(module, body.subarray(0, length + 9), "lp", options);
    expect(String(batch.at(0).get(new Key("s")))).toHaveLength(length);
    expect(batch.warnings(0)).toHaveLength(1);
    expect(module.used).toBeLessThan(length + 4 * megabyte);
    batch.release();
  });
});

describe("failing lines", () => {
  const failureOf = (decode: () => unknown): PointError => {
    try {
      decode();
    } catch (error) {
      if (error instanceof PointError) return error;
      throw error;
    }
    throw new Error("the body was not refused");
  };

  it("are listed up to the first 10,000, and all are counted", () => {
    const body = utf8(`m f=1 1\n${"b\n".repeat(25_000)}m f=2 2\n`);
    const ways = [() => atOnce(body), () => inWindows(body, 1), () => inWindows(body, 32768)];
    for (const error of ways.map(failureOf)) {
      expect(error.failed).toBe(25_000);
      expect(error.lines).toHaveLength(10_000);
      expect(error.lines.at(-1)).toMatchObject({ line: "b", lineNumber: 10_001, offset: 8 + 2 * 9_999 });
      const named = error.message.split("\n");
      expect(named.filter((each) => each.includes("unable to parse 'b'"))).toHaveLength(10);
      expect(named[10]).toBe("24990 more lines are not shown");
      expect(named[11]).toMatch(/^with 2 point parse ok, 25000 points failed\. Origin data: "m f=1 1/);
      expect(named[11]).toMatch(/"\.\.\. \(\d+ more bytes\)$/);
      expect(byteLength(error.message)).toBeLessThanOrEqual(1024);
    }
  });

  it("are all listed when there are exactly 10,000", () => {
    const error = failureOf(() => atOnce(utf8("b\n".repeat(10_000))));
    expect(error.lines).toHaveLength(10_000);
    expect(error.message).toContain("with 0 point parse ok, 10000 points failed");
  });

  it.each([
    ["long lines", "x".repeat(20_000), 2000],
    ["one long line", "x".repeat(8 * megabyte), 1],
    ["lines of three bytes a character", "中".repeat(5000), 2000],
    ["lines that are not UTF-8", "\xff".repeat(5000), 2000],
    ["long numbers", `m f=${"9".repeat(5000)}i`, 2000],
    ["long names of fields", `m ${"k".repeat(5000)}=zz`, 2000],
  ])("are quoted up to 1 KB in the message, and up to 1 MB in all: %s", (_name, line, count) => {
    const bytes = line.startsWith("\xff") ? new Uint8Array(line.length).fill(0xff) : utf8(line);
    const body = new Uint8Array(count * (bytes.length + 1)).fill(0x0a);
    for (let at = 0; at < count; at++) body.set(bytes, at * (bytes.length + 1));
    const error = failureOf(() => atOnce(body));
    expect(error.failed).toBe(count);
    expect(byteLength(error.message)).toBeLessThanOrEqual(1024);
    expect(error.message).toMatch(
      new RegExp(
        `with 0 point parse ok, ${count} points failed\\. Origin data: ".*"\\.\\.\\. \\(\\d+ more bytes\\)$`,
        "s",
      ),
    );
    expect(error.lines.every((each) => each.length === bytes.length)).toBe(true);
    const texts = error.lines.map((each) => each.line);
    expect(texts[0]).toMatch(/^.{300,}\.\.\. \(\d+ more bytes\)$/s);
    expect(Math.max(...texts.map((text) => text.length))).toBeLessThan(1024 + 40);
    expect(
      texts.reduce((sum, text) => sum + text.replace(/\.\.\. \(\d+ more bytes\)$/, "").length, 0),
    ).toBeLessThanOrEqual(megabyte + 1024);
  });

  it("use memory that is bounded by the body plus a constant", () => {
    const body = utf8("b\n".repeat(megabyte));
    failureOf(() => atOnce(body));
    // Error records for all of the million wrong lines would take 32 MB. The test checks that memory stays far
    // smaller, which means that most errors have no record.
    expect(module.size).toBeLessThan(2 * body.length + 3 * megabyte);
    expect(module.used).toBe(0);
  });

  it("are forgotten when the windows are rewound", () => {
    const windows = decodeInWindows(module, utf8("b\nm f=1\n"), "lp", options);
    const all = () => {
      while (windows.next() !== undefined);
    };
    for (let turn = 0; turn < 2; turn++) {
      const error = failureOf(all);
      expect(error.failed).toBe(1);
      windows.rewind();
    }
    windows.release();
  });
});

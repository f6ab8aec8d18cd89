// The encoder copies some lines of a body unchanged and encodes new lines for all other points. The tests check
// which lines are copied, and that every decoder reads the same points from copied lines as from new ones.

import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import type { Cursor } from "../../../lib/point/batch/cursor.ts";
import { setIntAt, writeLiteral } from "../../../lib/point/batch/in-place.ts";
import type { CategoryName } from "../../../lib/point/category.ts";
import { type BatchOptions, encodeBatches } from "../../../lib/point/codec/batches.ts";
import { decodeInWindows, decodePoints } from "../../../lib/point/codec/decode.ts";
import { type Encodable, encodePoints, encodeTo } from "../../../lib/point/codec/encode.ts";
import { Float } from "../../../lib/point/value.ts";
import { Key, Literal, type PointView } from "../../../lib/point/view.ts";
import type { WasmModule } from "../../../lib/wasm/module.ts";
import { seeded } from "../../bench/data/dice.ts";
import { loadModule } from "../wasm/load.ts";

const now = 1700000000000000000n;
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

let module: WasmModule;
beforeEach(async () => {
  module = await loadModule();
});

interface How {
  readonly category?: CategoryName;
  readonly precision?: string;
}

function decode(body: string, { category = "network", precision = "n" }: How = {}) {
  return decodePoints(module, utf8(body), "lp", { category, precision, now });
}

const kept = (points: Encodable, precision = "n"): string =>
  text(encodePoints(module, points, "lp", { keepLines: true, precision }));
const anew = (points: Encodable, precision = "n"): string => text(encodePoints(module, points, "lp", { precision }));

/**
 * Encodes the points of a body twice, after an optional change: once with unchanged lines copied, once with all lines
 * written anew.
 */
function bothOf(body: string, how?: How, change?: (point: PointView) => void): readonly [kept: string, anew: string] {
  const batch = decode(body, how);
  for (const point of batch) change?.(point);
  const both = [kept(batch), anew(batch)] as const;
  batch.release();
  return both;
}

describe("a line is copied", () => {
  it.each([
    ["with its tags and fields in any order", "m,z=1,b=2,a=3 y=1i,x=2,c=t 5"],
    ["without tags", "m z=1,a=2 1700000000000000001"],
    ["with zeros behind a decimal", "m z=1.50,a=-0.0 5"],
    [
      "with numbers of many digits",
      "m z=0.30000000000000004,y=9223372036854775807i,x=18446744073709551615u,a=123456789012345678.5 5",
    ],
    ["with the least and other negative numbers", "m z=-9223372036854775808i,b=-1.5,a=-0 5"],
    ["with booleans as anybody spells them", "m j=t,i=T,h=true,g=True,f=TRUE,e=f,d=F,c=false,b=False,a=FALSE 5"],
    ["with escapes of strings", String.raw`m z="a\"b\\c\\\"",a="\\" 5`],
    ["with escapes behind many bytes", `m z="${"x".repeat(200)}\\"${"y".repeat(70)}\\\\",a="" 5`],
    ["with newlines, commas and equals signs in strings", 'm z="a\nb,c=d e",a="" 5'],
    ["with quotes in tags and measurement", 'm"x,z="q",a="1" f="b" 5'],
    ["with text that is not ASCII", 'mé,z=中文,ключ=\u{1f30a} 温度=1,a="é" 5'],
    ["with a key longer than a vector", "m,zzzzzzzzzzzzzzzzzzzzzzz=1,b=2 yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy=1,x=2 5"],
    ["of the latest time", "m z=1,a=2 9223372036854775806"],
  ])("%s", (_, line) => {
    const [copied, written] = bothOf(line);
    expect(copied).toBe(line);
    expect(written).not.toBe(line);
  });

  it("without comments and blank lines around it", () => {
    const body = "m z=1,a=2 5\r\n\n# comment\nm z=2,a=2 6\nm z=3,a=2 7\r\nm z=4,a=2 8\n\n";
    expect(bothOf(body)[0]).toBe("m z=1,a=2 5\nm z=2,a=2 6\nm z=3,a=2 7\nm z=4,a=2 8");
  });

  it("up to its time, which is converted when it is not in nanoseconds", () => {
    const fields = 'm,b=1,a=2 z="x 17",y=17';
    expect(bothOf(`${fields} 1700000001`, { precision: "s" })[0]).toBe(`${fields} 1700000001000000000`);
    expect(bothOf(`${fields} 1700000001`, { precision: "" })[0]).toBe(`${fields} 1700000001000000000`);
    expect(bothOf(`${fields} 1700000001000000000`, { precision: "" })[0]).toBe(`${fields} 1700000001000000000`);
    expect(bothOf(`${fields} 0`)[0]).toBe(`${fields} ${now}`);
    expect(bothOf(`${fields} 0005`)[0]).toBe(`${fields} 5`);
    expect(bothOf(fields)[0]).toBe(`${fields} ${now}`);
    expect(bothOf('m,b=1,a=2 y=17,z="x 17"')[0]).toBe(`m,b=1,a=2 y=17,z="x 17" ${now}`);
    expect(bothOf("m,b=1,a=2 y=17,x=1e5")[0]).toBe(`m,a=2,b=1 x=100000,y=17 ${now}`);
  });

  it("with its time in the requested precision", () => {
    const batch = decode("m z=1,a=2 1700000001000000000\nm z=1,a=2\n");
    expect(kept(batch, "s")).toBe("m z=1,a=2 1700000001\nm z=1,a=2 1700000000");
    expect(kept(batch, "ms")).toBe("m z=1,a=2 1700000001000\nm z=1,a=2 1700000000000");
  });

  it("with the required field of its category added", () => {
    expect(bothOf('l,z=1,a=2 m="x",b=1 5', { category: "logging" })[0]).toBe('l,z=1,a=2 m="x",b=1,status="unknown" 5');
    expect(bothOf('l,z=1,a=2 m="x 5"', { category: "logging" })[0]).toBe(`l,z=1,a=2 m="x 5",status="unknown" ${now}`);
    const time = "1700000000000000001";
    expect(bothOf(`l m="x",a=1 ${time}`, { category: "logging" })[0]).toBe(`l m="x",a=1,status="unknown" ${time}`);
    expect(bothOf('l m="x",status="ok",a=1 5', { category: "logging" })[0]).toBe('l m="x",status="ok",a=1 5');
  });
});

describe("a line is encoded instead of copied", () => {
  it.each<[what: string, line: string, expected: string, how?: How]>([
    ["with an exponent", "m z=1e3,a=2 5", "m a=2,z=1000 5"],
    ["with a long exponent", "m z=1.23456789012345678E2,a=2 5", "m a=2,z=123.45678901234568 5"],
    ["with no digit before a dot", "m z=.5,a=2 5", "m a=2,z=0.5 5"],
    ["with no digit before a dot, below 0", "m z=-.5,a=2 5", "m a=2,z=-0.5 5"],
    ["with no digit behind a dot", "m z=5.,a=2 5", "m a=2,z=5 5"],
    ["with no digit behind the dot of a long number", "m z=12345678901234567.,a=2 5", "m a=2,z=12345678901234568 5"],
    ["with no digit before the dot of a long number", "m z=.12345678901234567,a=2 5", "m a=2,z=0.12345678901234566 5"],
    ["with idle zeros before a float", "m z=05.5,a=2 5", "m a=2,z=5.5 5"],
    ["with idle zeros before a long float", "m z=00.12345678901234567,a=2 5", "m a=2,z=0.12345678901234566 5"],
    ["with idle zeros before an int", "m z=05i,a=2 5", "m a=2,z=5i 5"],
    ["with idle zeros before a long int", "m z=01234567890123456i,a=2 5", "m a=2,z=1234567890123456i 5"],
    ["with idle zeros before a uint", "m z=00u,a=2 5", "m a=2,z=0u 5"],
    ["with a zero below zero", "m z=-0i,a=2 5", "m a=2,z=0i 5"],
    ["with an array", "m z=[1i,2i],a=2 5", "m a=2,z=[1i,2i] 5"],
    ["with a binary", 'm z="aGk="b,a=2 5', 'm a=2,z="aGk="b 5'],
    ["with a backslash before a letter", String.raw`m z="a\nb",a=2 5`, String.raw`m a=2,z="a\\nb" 5`],
    [
      "with a backslash before a letter, far behind",
      `m z="${"x".repeat(100)}\\q${"y".repeat(100)}",a=2 5`,
      `m a=2,z="${"x".repeat(100)}\\\\q${"y".repeat(100)}" 5`,
    ],
    ["with an escape at the end of a block", `m z="${"x".repeat(63)}\\n",a=2 5`, `m a=2,z="${"x".repeat(63)}\\\\n" 5`],
    ["with an escape in the series", String.raw`m,z=a\ b,a=2 f=1 5`, String.raw`m,a=2,z=a\ b f=1 5`],
    ["with an escape that is none", String.raw`m,z=a\b,a=2 f=1 5`, String.raw`m,a=2,z=a\b f=1 5`],
    ["with an escape in a field's key", String.raw`m z\ z=1,a=2 5`, String.raw`m a=2,z\ z=1 5`],
    ["with a quote in a field's key", 'm z"z=1,a=2 5', 'm a=2,z\\"z=1 5'],
    ["with a tag twice", "m,z=1,a=1,a=2 f=1 5", "m,a=2,z=1 f=1 5"],
    ["with a field twice", "m z=1,a=1,a=2 5", "m a=2,z=1 5"],
    ["with a key as tag and field", "m,z=1,a=2 f=1,a=3 5", "m,a=2,z=1 f=1 5"],
    ["with spaces before it", "  m z=1,a=2 5", "m a=2,z=1 5"],
    ["with spaces behind it", "m z=1,a=2 5  ", "m a=2,z=1 5"],
    ["with spaces within", "m  z=1,a=2  5", "m a=2,z=1 5"],
    ["with a carriage return at the end of the body", "m z=1,a=2 5\r\nm z=1,a=2 5", "m z=1,a=2 5\nm z=1,a=2 5"],
    ["with a dot in a key", "m,z=1,a.b=2 f=1 5", "m,a_b=2,z=1 f=1 5"],
    ["with a string that goes", 'm z="x",b=2,a=1 5', "m a=1,b=2 5", { category: "metric" }],
    ["with a key that goes", 'l status="ok",source="x",a=1 5', 'l a=1,status="ok" 5', { category: "logging" }],
    ["with a tag that is too long", `m,z=${"x".repeat(1025)},a=1 f=1 5`, `m,a=1,z=${"x".repeat(1024)} f=1 5`],
    [
      "with too many tags",
      `m${Array.from({ length: 257 }, (_, i) => `,t${999 - i}=1`).join("")} f=1 5`,
      expectedTags(),
    ],
  ])("%s", (_, line, expected, how) => {
    expect(bothOf(line, how)[0]).toBe(expected);
  });

  /**
   * Returns the line that is expected after the corrections. The original line has too many tags, so the corrections
   * keep only the 256 tags whose keys come first when sorted.
   */
  function expectedTags(): string {
    return `m${Array.from({ length: 256 }, (_, i) => `,t${743 + i}=1`).join("")} f=1 5`;
  }
});

describe("a point that was changed", () => {
  const line = "m,z=1,b=2 y=1,x=2i 5";
  const key = (name: string) => new Key(name);

  it.each<[what: string, change: (point: PointView) => void, expected: string]>([
    ["not at all", (point) => void [point.get(key("y")), point.has(key("z")), [...point.entries()]], line],
    ["a new tag", (point) => point.setTag(key("host"), "h"), "m,z=1,b=2,host=h y=1,x=2i 5"],
    ["an empty new tag", (point) => point.setTag(key("host"), ""), line],
    [
      "new tags to be escaped",
      (point) => {
        point.setTag(key("a b"), "c,d=e f");
        point.setTag(key("g=h,i"), 'é"中');
      },
      String.raw`m,z=1,b=2,a\ b=c\,d\=e\ f,g\=h\,i=é"中 y=1,x=2i 5`,
    ],
    [
      "a new tag that went again",
      (point) => {
        point.setTag(key("host"), "h");
        point.delete(key("host"));
      },
      "m,b=2,z=1 x=2i,y=1 5",
    ],
    [
      "a new tag that was changed",
      (point) => {
        point.setTag(key("host"), "h");
        point.setTag(key("host"), "i");
      },
      "m,b=2,host=i,z=1 x=2i,y=1 5",
    ],
    ["its time", (point) => void (point.time = 7n), "m,z=1,b=2 y=1,x=2i 7"],
    ["its time, to one that cannot be said", (point) => void (point.time = 2n ** 63n - 1n), ""],
    [
      "its time, to the least",
      (point) => void (point.time = -(2n ** 63n) + 2n),
      "m,z=1,b=2 y=1,x=2i -9223372036854775806",
    ],
    ["a new field", (point) => point.setField(key("a"), 1), "m,b=2,z=1 a=1i,x=2i,y=1 5"],
    ["a field", (point) => point.setField(key("y"), 3), "m,b=2,z=1 x=2i,y=3i 5"],
    ["a field to what it was", (point) => point.setField(key("y"), new Float(1)), "m,b=2,z=1 x=2i,y=1 5"],
    ["a tag", (point) => point.setTag(key("z"), "3"), "m,b=2,z=3 x=2i,y=1 5"],
    ["a tag into a field", (point) => point.setField(key("z"), "3"), 'm,b=2 x=2i,y=1,z="3" 5'],
    ["a field into a tag", (point) => point.setTag(key("y"), "3"), "m,b=2,y=3,z=1 x=2i 5"],
    ["a tag without it", (point) => void point.delete(key("z")), "m,b=2 x=2i,y=1 5"],
    ["a field without it", (point) => void point.delete(key("y")), "m,b=2,z=1 x=2i 5"],
    ["another key", (point) => void point.rename(key("z"), key("a")), "m,a=1,b=2 x=2i,y=1 5"],
    ["a key of another", (point) => void point.rename(key("z"), key("b")), "m,b=1 x=2i,y=1 5"],
    [
      "a field where it lies",
      (point) => setIntAt(point as Cursor, (point as Cursor).at(key("y")), 3, 0),
      "m,b=2,z=1 x=2i,y=3i 5",
    ],
    [
      "a tag where it lies",
      (point) => writeLiteral(point as Cursor, key("z"), new Literal("3")),
      "m,b=2,z=3 x=2i,y=1 5",
    ],
    [
      "all entries without the first",
      (point) => (point as Cursor).rewrite([...point.entries()].slice(1)),
      "m,b=2,z=1 x=2i 5",
    ],
    ["its measurement", (point) => void (point.name = "n"), "n,b=2,z=1 x=2i,y=1 5"],
    ["all fields without them", (point) => void [point.delete(key("x")), point.delete(key("y"))], ""],
  ])("%s", (_, change, expected) => {
    expect(bothOf(line, {}, change)[0]).toBe(expected);
    // The encoder copies the unchanged lines before and after the changed line.
    const batch = decode(`${line}\n${line}\n${line}`);
    change(batch.at(1));
    expect(kept(batch)).toBe([line, expected, line].filter((each) => each !== "").join("\n"));
  });

  it("gets a tag up to the series limit, and is not copied above half of it", () => {
    const withTag = (length: number): string => {
      const batch = decode("m,z=1,b=2 y=1 5");
      batch.addTag(key("a"), "v".repeat(length));
      return kept(batch);
    };
    // A series (measurement and tags) may have 65,535 bytes. The original series takes 9 bytes, the comma and the `=`
    // of the new tag take 2. The new key of one byte counts as 2 bytes, because escapes may double its length. So
    // 65,522 bytes remain for the new value, whose bytes also count twice.
    expect(withTag(32_761) === `m,z=1,b=2,a=${"v".repeat(32_761)} y=1 5`).toBe(true);
    expect(withTag(32_762) === `m,a=${"v".repeat(32_762)},b=2,z=1 y=1 5`).toBe(true);
    expect(withTag(65_523) === `m,a=${"v".repeat(65_523)},b=2,z=1 y=1 5`).toBe(true);
    expect(withTag(65_524)).toBe("");
  });
});

describe("points that are copied", () => {
  it("are written in chunks of any size, also when the lines are very long", () => {
    const random = seeded(7);
    for (const length of [1, 15, 200, 4000, 32_700, 33_000, 70_000, 131_000, 262_144]) {
      const lines = Array.from({ length: 12 }, (_, i) => {
        const value = "v".repeat(Math.floor(length * (0.9 + random() * 0.2)));
        return `m,z=${i},a=1 s="${value}",f=1 ${now + BigInt(i)}`;
      });
      const batch = decode(lines.join("\n"));
      expect(kept(batch) === lines.join("\n")).toBe(true);
      for (let at = 0; at < batch.length; at += 3) batch.at(at).setTag(new Key("host"), "h");
      const withTags = lines.map((line, at) => (at % 3 === 0 ? line.replace(",a=1", ",a=1,host=h") : line));
      const chunks: string[] = [];
      expect(encodeTo(module, batch, "lp", (chunk) => chunks.push(text(chunk)), { keepLines: true })).toBe(12);
      expect(chunks.join("") === withTags.join("\n")).toBe(true);
      batch.release();
    }
  });

  it("may be a selection of a batch", () => {
    const lines = Array.from({ length: 9 }, (_, i) => `m z=${i},a=1 5`);
    const batch = decode(lines.join("\n"));
    batch.at(4).setField(new Key("a"), 2);
    const picked = [0, 1, 3, 4, 5, 8];
    const expected = picked.map((at) => (at === 4 ? "m a=2i,z=4 5" : lines[at]));
    expect(kept(batch.select(picked))).toBe(expected.join("\n"));
    expect(text(encodePoints(module, batch, "lp", { keepLines: true, from: 2, to: 4 }))).toBe(
      lines.slice(2, 4).join("\n"),
    );
  });

  it("may be mixed with points of other formats, which are encoded", () => {
    const batch = decode("m z=1,a=2 5");
    const json = decodePoints(module, utf8('[{"measurement":"m","tags":{"z":"1"},"fields":{"f":1,"a":2}}]'), "json", {
      category: "network",
      now,
    });
    expect(kept([batch, ...json, batch.point(0)])).toBe(`m z=1,a=2 5\nm,z=1 a=2,f=1 ${now}\nm a=2,z=1 5`);
  });

  it("are not used for output in other formats", () => {
    const batch = decode("m z=1,a=2 5");
    for (const form of ["json", "pbjson", "pb"] as const) {
      expect(encodePoints(module, batch, form, { keepLines: true })).toEqual(encodePoints(module, batch, form));
    }
  });
});

/**
 * Generator of lines. Some lines meet all conditions for being copied to the output unchanged, and others nearly meet
 * them.
 */
const line: fc.Arbitrary<string> = (() => {
  const key = fc.constantFrom(
    "a",
    "b",
    "z",
    "host",
    "a.b",
    "status",
    "source",
    "zzzzzzzzzzzzzzzzzzzz",
    "é",
    'q"',
    "a\\ b",
  );
  const tag = fc.constantFrom("1", "x", '"q"', "中", "a\\ b", "a\\b", "\\=", "v".repeat(300));
  const value = fc.constantFrom(
    ...["1", "1i", "1u", "-1", "-0", "1.5", "1.50", "0.1", "5.", ".5", "1e3", "007", "07i", "t", "F", "True", "false"],
    ...[
      "12345678901234567",
      "0.12345678901234567",
      "12345678901234567i",
      "18446744073709551615u",
      "1.23456789012345678e5",
    ],
    ...['""', '"x"', '"a b,c=d"', '"\\""', '"\\\\"', '"\\n"', '"a\nb"', '"aGk="b', "[1i]", '["a"]', "[]"],
  );
  const entries = (of: fc.Arbitrary<string>, most: number, least: number) =>
    fc.array(
      fc.tuple(key, of).map((pair) => pair.join("=")),
      { minLength: least, maxLength: most },
    );
  const time = fc.constantFrom(
    "",
    " 5",
    " 1700000000",
    " 1700000000000",
    " 1700000000000000001",
    " 0",
    " -5",
    " 05",
    " 5 ",
  );
  return fc
    .tuple(fc.constantFrom("m", "cpu", "a\\,b", "é"), entries(tag, 3, 0), entries(value, 4, 1), time)
    .map(([name, tags, fields, at]) => `${[name, ...tags].join(",")} ${fields.join(",")}${at}`);
})();

const body = fc
  .tuple(
    // The body repeats a few different lines, because the parser has a fast path for repeated lines.
    fc
      .array(line, { minLength: 1, maxLength: 4 })
      .chain((kinds) => fc.array(fc.constantFrom(...kinds), { maxLength: 20 })),
    fc.constantFrom("\n", "\r\n", "\n\n", "\n# comment\n"),
  )
  .map(([lines, between]) => lines.join(between))
  .filter((each) => each !== "");

interface Change {
  readonly at: number;
  readonly how: "setTag" | "setField" | "delete" | "rename" | "time" | "name";
  readonly key: string;
}

const change: fc.Arbitrary<Change> = fc.record({
  at: fc.nat(19),
  how: fc.constantFrom("setTag", "setField", "delete", "rename", "time", "name"),
  key: fc.constantFrom("a", "b", "host", "new", "é"),
});

function apply(points: { readonly length: number; at(index: number): PointView }, { at, how, key }: Change): void {
  if (at >= points.length) return;
  const point = points.at(at);
  const its = new Key(key);
  if (how === "setTag") point.setTag(its, "a b");
  else if (how === "setField") point.setField(its, 7);
  else if (how === "delete") point.delete(its);
  else if (how === "rename") point.rename(its, new Key("other"));
  else if (how === "time") point.time = 77n;
  else point.name = "changed";
}

const how = fc.record({
  category: fc.constantFrom<CategoryName>("metric", "logging", "network", "object"),
  precision: fc.constantFrom("", "n", "s"),
  out: fc.constantFrom("n", "ms"),
  tags: fc.array(fc.constantFrom("host", "a", "b c", "é"), { maxLength: 2 }),
  changes: fc.array(change, { maxLength: 3 }),
  window: fc.integer({ min: 1, max: 40 }),
});

describe("for any body", () => {
  const runs = { numRuns: 1500 };

  /** Decodes the lines, encodes each decoded point as a new line, and returns the new lines. */
  function read(lines: string, precision: string): string[] {
    if (lines === "") return [];
    const batch = decode(lines, { precision });
    const points = Array.from(batch, (point) => text(encodePoints(module, [point], "lp")));
    batch.release();
    return points;
  }

  it("copied and encoded lines contain the same points, also in windows", () => {
    fc.assert(
      fc.property(body, how, (lines, { category, precision, out, tags, changes, window }) => {
        const sent: [string[], string[]] = [[], []];
        try {
          for (const points of decodeInWindows(module, utf8(lines), "lp", { category, precision, now }, window)) {
            for (const tag of tags) points.addTag(new Key(tag), "v w");
            for (const each of changes) apply(points, each);
            sent[0].push(...read(kept(points, out), out));
            sent[1].push(...read(anew(points, out), out));
          }
        } catch (error) {
          // The decoder refuses some of the random bodies, but only after it has returned the points of the first
          // lines. The test compares these points, too.
          expect((error as Error).name).toBe("PointError");
        }
        expect(sent[0]).toEqual(sent[1]);
        expect(module.used).toBe(0);
      }),
      runs,
    );
  });

  it("batches of copied lines have the same limits and counts as batches of encoded lines", () => {
    const bounds = fc.constantFrom<BatchOptions>(
      {},
      { maxPoints: 3 },
      { maxBytes: 100 },
      { bufferBytes: 100, largeAlone: true },
      { bufferBytes: 100, ignoreLarge: true },
      { bufferBytes: 1000, ignoreLarge: true },
    );
    fc.assert(
      fc.property(body, how, bounds, (lines, { category, precision, tags, changes }, options) => {
        let batch: ReturnType<typeof decode>;
        try {
          batch = decode(lines, { category, precision });
        } catch {
          return;
        }
        for (const tag of tags) batch.addTag(new Key(tag), "v w");
        for (const each of changes) apply(batch, each);
        const all = kept(batch).split("\n").length;
        const batches = encodeBatches(module, batch, "lp", { ...options, keepLines: true });
        const written = encodeBatches(module, batch, "lp", options);
        const made = [...batches];
        const expected = [...written];
        for (const { bytes, points } of made) {
          if (options.maxPoints !== undefined) expect(points).toBeLessThanOrEqual(options.maxPoints);
          if (options.bufferBytes === undefined || (options.largeAlone === true && points === 1)) continue;
          expect(bytes.length).toBeLessThanOrEqual(options.bufferBytes);
        }
        const readAll = (from: typeof made) => from.flatMap(({ bytes }) => read(text(bytes), "n"));
        expect(batches.unwritable).toBe(written.unwritable);
        // With `ignoreLarge`, the encoder leaves out points that are too large for a body. A newly encoded line may be
        // longer or shorter than the original line. So the output with copied lines and the output with only new lines
        // may leave out different points, and the test does not compare these two outputs.
        if (options.ignoreLarge !== true) expect(readAll(made)).toEqual(readAll(expected));
        if (options.bufferBytes === undefined)
          expect(made.map(({ points }) => points)).toEqual(expected.map(({ points }) => points));
        if (made.length === 1 && options.bufferBytes === undefined)
          expect(text(made[0]!.bytes).split("\n").length).toBe(all);
        batch.release();
      }),
      runs,
    );
  });
});

// docs/wasm-abi.md holds what it says: its tables against the module, the sources and the library's own layout; and a host that
// knows nothing but the document decodes line protocol with them.

import { describe, expect, it } from "vitest";
import reasonsSource from "../../../assembly/line-protocol/reasons.ts?raw";
import settingsSource from "../../../assembly/line-protocol/settings.ts?raw";
import layoutSource from "../../../assembly/tape/layout.ts?raw";
import markdown from "../../../docs/wasm-abi.md?raw";
import * as tape from "../../../lib/point/tape.ts";
import { abiVersion, instantiate } from "../../../lib/wasm/module.ts";
import { readDocument } from "./abi-document.ts";
import { bareHost } from "./bare-host.ts";
import { wasmBytes } from "./load.ts";
import { signaturesOf } from "./signatures.ts";

const { tables, constants } = readDocument(markdown);
const wasm = await wasmBytes();

/** `const NAME: type = number` of an AssemblyScript file; shifts are sizes said twice. */
function constantsOf(source: string): [name: string, value: number][] {
  return [...source.matchAll(/^(?:export )?const (\w+): (?:u32|usize|i32) = (\d+);/gm)]
    .map(([, name, value]): [string, number] => [name!, Number(value)])
    .filter(([name]) => !name.endsWith("_SHIFT"));
}

describe("the document's exports and imports", () => {
  const documented = tables.get("Exports")!;
  const signatures = signaturesOf(wasm);

  it.each([...signatures])("has a row for %s %s", (name, signature) => {
    const row = documented.find(({ Export: each }) => each === name);
    expect(row, `the module exports \`${name}\` as ${signature}: add its row to the table Exports`).toBeDefined();
    expect(row!.Signature, `signature of ${name}`).toBe(signature);
  });

  it("names nothing that the module lacks", () => {
    expect(documented.map(({ Export: name }) => name).filter((name) => !signatures.has(name!))).toEqual([]);
  });

  it("agrees with what the engine says", async () => {
    const compiled = await WebAssembly.compile(wasm);
    expect(WebAssembly.Module.exports(compiled).map(({ name }) => name)).toEqual([...signatures.keys()]);
    const { exports } = await WebAssembly.instantiate(compiled, {});
    for (const { Export: name, Signature: signature } of documented) {
      const exported = exports[name!];
      if (typeof exported !== "function") continue;
      expect(exported.length, `arity of ${name}`).toBe(signature!.split("->")[0]!.match(/[if]\d\d/g)?.length ?? 0);
    }
  });

  it("imports nothing, as the document says", async () => {
    expect(markdown).toContain("The module imports nothing");
    expect(WebAssembly.Module.imports(await WebAssembly.compile(wasm))).toEqual([]);
  });
});

describe("the document's version", () => {
  it("is the module's and the library's", async () => {
    const { exports } = await WebAssembly.instantiate(await WebAssembly.compile(wasm), {});
    const stated = Number(/`abiVersion\(\)` gives \*\*(\d+)\*\*/.exec(markdown)![1]);
    expect((exports.abiVersion as () => number)()).toBe(stated);
    expect(abiVersion).toBe(stated);
  });

  it("is checked when the library instantiates", async () => {
    // (module (func (export "abiVersion") (result i32) i32.const 99)), and the same without the export.
    const other = [
      ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
      ...[1, 5, 1, 0x60, 0, 1, 0x7f, 3, 2, 1, 0],
      ...[7, 14, 1, 10, ...new TextEncoder().encode("abiVersion"), 0, 0],
      ...[10, 7, 1, 5, 0, 0x41, 0xe3, 0, 0x0b],
    ];
    await expect(instantiate(new Uint8Array(other))).rejects.toThrow(
      "has ABI version 99; this library needs version 1",
    );
    const none = new Uint8Array(other.slice(0, 8));
    await expect(instantiate(none)).rejects.toThrow("is not Millrace's, or older");
  });
});

describe("the document's constants", () => {
  const sources = [
    ["assembly/tape/layout.ts", constantsOf(layoutSource)],
    ["assembly/line-protocol/reasons.ts", constantsOf(reasonsSource)],
    ["assembly/line-protocol/settings.ts", constantsOf(settingsSource)],
  ] as const;

  it.each(sources)("are all of %s", (file, found) => {
    expect(found.length).toBeGreaterThan(3);
    for (const [name, value] of found) {
      expect(constants.get(name)?.value, `${file} has ${name} = ${value}: add or correct its row`).toBe(value);
    }
  });

  it("are all in the sources", () => {
    const known = new Set(sources.flatMap(([, found]) => found.map(([name]) => name)));
    expect([...constants.keys()].filter((name) => !known.has(name))).toEqual([]);
  });

  it.each([
    ["Batch head", "B_HEAD"],
    ["Point", "POINT_SIZE"],
    ["Entry", "ENTRY_SIZE"],
    ["Key", "KEY_SIZE"],
    ["Failure", "FAILURE_SIZE"],
  ])("lay out a %s without overlap, within %s", (heading, size) => {
    let end = 0;
    for (const { name, value, width } of constants.values()) {
      const row = constants.get(name)!;
      if (row.heading !== heading) continue;
      expect(value, name).toBeGreaterThanOrEqual(end);
      expect(value % width!, `${name} is aligned`).toBe(0);
      end = value + width!;
    }
    expect(end).toBeGreaterThan(0);
    expect(end).toBeLessThanOrEqual(constants.get(size)!.value);
  });

  it.each([
    ["head", "B", tape.head, 4],
    ["point", "P", tape.point, 4],
    ["entry", "E", tape.entry, 4],
    ["key", "K", tape.key, 4],
    ["failure", "F", tape.failure, 4],
    ["kinds", "KIND", tape.kinds, 1],
  ])("are those of lib/point/tape.ts: %s", (_, prefix, layout, unit) => {
    for (const [name, value] of Object.entries(layout)) {
      const constant = `${prefix}_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
      expect(constants.get(constant)?.value, constant).toBe(value * unit);
    }
  });

  it("are those of lib/point/tape.ts: sizes and flags", () => {
    const value = (name: string): number => constants.get(name)!.value;
    const { settings } = tape;
    expect([tape.pointWords, tape.entryWords, tape.keyWords, tape.failureWords].map((words) => words * 4)).toEqual(
      ["POINT_SIZE", "ENTRY_SIZE", "KEY_SIZE", "FAILURE_SIZE"].map(value),
    );
    const flags = [
      tape.tagFlag,
      tape.deadFlag,
      tape.escapedFlag,
      tape.textOnlyFlag,
      tape.sourceFlag,
      tape.sideFlag,
      tape.duplicateFlag,
    ];
    expect(flags.map((flag) => flag >>> 8)).toEqual(
      ["TAG", "DEAD", "ESCAPED", "TEXT_ONLY", "SOURCE", "SIDE", "DUPLICATE"].map((name) => value(`ENTRY_${name}`)),
    );
    expect([tape.pointAttention, tape.pointRequired, tape.refusedKey, tape.requiredKey]).toEqual(
      ["POINT_ATTENTION", "POINT_REQUIRED", "KEY_REFUSED", "KEY_REQUIRED"].map(value),
    );
    expect([settings.strict, settings.dropsStrings, settings.replacesDots, settings.dropsUint]).toEqual(
      ["STRICT", "DROPS_STRINGS", "REPLACES_DOTS", "DROPS_UINT"].map(value),
    );
  });
});

describe("a host that has only the document", () => {
  it("reads every kind of value", async () => {
    const host = await bareHost(wasm, constants);
    const line =
      "cpu\\ load,zone=b,host=a i=-9223372036854775808i,u=18446744073709551615u,f=0.1," +
      't=3.141592653589793238462643383279,s="täg",e="a\\"b\\\\c\\d",yes=T,no=false,bin="AQID"b,arr=[1i, 2i],nil=[] ' +
      "1700000000000000001";
    const { points, failures } = host.decode(new TextEncoder().encode(line));
    expect(failures).toEqual([]);
    expect(points).toEqual([
      {
        name: "cpu\\ load".replace("\\", ""),
        time: 1700000000000000001n,
        attention: true,
        line,
        entries: [
          ["i", "int", -9223372036854775808n],
          ["u", "uint", 18446744073709551615n],
          ["f", "float", 0.1],
          ["t", "float", Math.PI],
          ["s", "string", "täg"],
          ["e", "string", 'a"b\\c\\d'],
          ["yes", "bool", true],
          ["no", "bool", false],
          ["bin", "binary", "AQID"],
          ["arr", "array", "[1i, 2i]"],
          ["nil", "nil", null],
          ["host", "tag", "a"],
          ["zone", "tag", "b"],
        ],
      },
    ]);
  });

  it("reads lines that follow one another, with the fast parser and without", async () => {
    const host = await bareHost(wasm, constants);
    const body = new TextEncoder().encode("# comment\nm,a=1 x=1i 1\r\nm,a=2 x=2i\n\nm,b=1,a=3 x=3i,y=0.5 1700000000\n");
    const fast = host.decode(body);
    expect(
      fast.points.map(({ time, entries }) => [time, ...entries.map(([key, , value]) => `${key}=${value}`)]),
    ).toEqual([
      [1000000000n, "x=1", "a=1"],
      [host.now, "x=2", "a=2"],
      [1700000000000000000n, "x=3", "y=0.5", "a=3", "b=1"],
    ]);
    expect(host.decode(body, { fast: 0 })).toEqual(fast);
  });

  it("gets a failure for each bad line, with code, place and details, and the other points", async () => {
    const host = await bareHost(wasm, constants);
    const body = 'm x=1i\n  bad\nm x=9223372036854775808i\nm x="a\nm x=2i';
    const { points, failures } = host.decode(new TextEncoder().encode(body));
    expect(points.length).toBe(1);
    const code = (name: string): number => constants.get(name)!.value;
    expect(failures).toEqual([
      { reason: code("MISSING_FIELDS"), line: "bad", position: 8, first: 0, second: 0 },
      expect.objectContaining({
        reason: code("INT_RANGE"),
        line: "m x=9223372036854775808i",
        text: "9223372036854775808",
      }),
      expect.objectContaining({ reason: code("UNBALANCED_QUOTES"), line: 'm x="a\nm x=2i' }),
    ]);
  });

  it("marks keys, requires a field and finds keys by their ids", async () => {
    const host = await bareHost(wasm, constants);
    const { points } = host.decode(new TextEncoder().encode('l m="1"\nl status="ok"\nl source="x"'), {
      refused: ["source"],
      required: ["status", "unknown"],
    });
    expect(
      points.map(({ attention, entries }) => [attention, ...entries.map(([key, , value]) => `${key}=${value}`)]),
    ).toEqual([
      [false, "m=1", "status=unknown"],
      [false, "status=ok"],
      [true, "source=x"],
    ]);
  });

  it("leaves out tags that lost to a later equal one, unless strict", async () => {
    const host = await bareHost(wasm, constants);
    const body = new TextEncoder().encode("m,a=1,a=2 x=1i");
    expect(host.decode(body).points[0]!.entries).toEqual([
      ["x", "int", 1n],
      ["a", "tag", "2"],
    ]);
    const strict = host.decode(body, { flags: constants.get("STRICT")!.value });
    expect(strict.failures.map(({ reason }) => reason)).toEqual([constants.get("DUPLICATE_TAGS")!.value]);
  });

  it("appends entries to a point's chain", async () => {
    const host = await bareHost(wasm, constants);
    const [before, after] = host.append(new TextEncoder().encode("m x=1i\nm x=2i"), 0, "note", "hello");
    expect(before).toEqual([["x", "int", 1n]]);
    expect(after).toEqual([...before, ["note", "string", "hello"], ["note", "string", "hello"]]);
  });

  it("gets all its pages back, and a trap when memory cannot grow", async () => {
    const host = await bareHost(wasm, constants);
    const lines = Array.from({ length: 20_000 }, (_, i) => `m,t${i % 100}=v f${i % 300}=${i}i,g=${i}.5 ${i + 1}`).join(
      "\n",
    );
    expect(host.decode(new TextEncoder().encode(lines)).points.length).toBe(20_000);
    expect(host.pagesInUse()).toBe(0);
    expect(() => host.createBatch(0xfff00000)).toThrow(WebAssembly.RuntimeError);
  });
});

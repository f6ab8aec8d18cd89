// Compares the tables of docs/reference/wasm-abi.md with the WebAssembly module, its sources and the library's own
// layout. Also decodes line protocol with a host program that was written from this document only.

import { describe, expect, it } from "vitest";
import notesSource from "../../../assembly/correct/notes.ts?raw";
import protobufSource from "../../../assembly/protobuf/reasons.ts?raw";
import layoutSource from "../../../assembly/tape/layout.ts?raw";
import reasonsSource from "../../../assembly/tape/reasons.ts?raw";
import settingsSource from "../../../assembly/tape/settings.ts?raw";
import markdown from "../../../docs/reference/wasm-abi.md?raw";
import { abiVersion, instantiate } from "../../../lib/wasm/module.ts";
import * as tape from "../../../lib/wasm/tape.ts";
import { readDocument } from "./abi-document.ts";
import { bareHost } from "./bare-host.ts";
import { interfaceOf } from "./interface.ts";
import { wasmBytes } from "./load.ts";

const { tables, constants } = readDocument(markdown);
const wasm = await wasmBytes();

/**
 * Returns the constants `const NAME: type = number` of an AssemblyScript file. Leaves out names that end in
 * _SHIFT, because such a constant is only the logarithm of a size that is also a constant.
 */
function constantsOf(source: string): [name: string, value: number][] {
  return [...source.matchAll(/^(?:export )?const (\w+): (?:u32|usize|i32) = (\d+);/gm)]
    .map(([, name, value]): [string, number] => [name!, Number(value)])
    .filter(([name]) => !name.endsWith("_SHIFT"));
}

/** The import functions that the document lists. Each of them fails the test when the module calls it. */
const documentedImports = tables.get("Imports")!.filter(({ Import: name }) => name !== "none");
const imports: WebAssembly.Imports = {};
for (const { Import: name } of documentedImports) {
  const [from, field] = name!.split(".") as [string, string];
  imports[from] = { ...imports[from], [field]: () => expect.unreachable(`${name} was called`) };
}

describe.each([
  ["Exports", "Export", tables.get("Exports")!, interfaceOf(wasm).exports],
  ["Imports", "Import", documentedImports, interfaceOf(wasm).imports],
] as const)("the document's %s", (heading, column, rows, found) => {
  it("list every name of the module", () => {
    for (const [name, signature] of found) {
      const row = rows.find(({ [column]: each }) => each === name);
      const text = `| \`${name}\` | ${signature === "memory" ? signature : `\`${signature}\``} | ... |`;
      expect(row, `docs/reference/wasm-abi.md, table ${heading}: add ${text}`).toBeDefined();
      expect(row!.Signature, `docs/reference/wasm-abi.md, signature of ${name}`).toBe(signature);
    }
  });

  it("list no name that the module lacks", () => {
    expect(rows.map(({ [column]: name }) => name).filter((name) => !found.has(name!))).toEqual([]);
  });

  it("agree with the engine on names and numbers of parameters", async () => {
    const compiled = await WebAssembly.compile(wasm);
    const listed =
      heading === "Exports"
        ? WebAssembly.Module.exports(compiled).map(({ name }) => name)
        : WebAssembly.Module.imports(compiled).map(({ module, name }) => `${module}.${name}`);
    expect(listed).toEqual([...found.keys()]);
    const { exports } = await WebAssembly.instantiate(compiled, imports);
    for (const { Export: name, Signature: signature } of rows) {
      const exported = exports[name ?? ""];
      if (typeof exported !== "function") continue;
      expect(exported.length, `arity of ${name}`).toBe(signature!.split("->")[0]!.match(/[if]\d\d/g)?.length ?? 0);
    }
  });
});

describe("the ABI version in the document", () => {
  it("equals the version of the module and of the library", async () => {
    const { exports } = await WebAssembly.instantiate(await WebAssembly.compile(wasm), imports);
    const stated = Number(/`abiVersion\(\)` gives \*\*(\d+)\*\*/.exec(markdown)![1]);
    expect((exports.abiVersion as () => number)()).toBe(stated);
    expect(abiVersion).toBe(stated);
  });

  it("is required when the library instantiates a module", async () => {
    // The binary form of (module (func (export "abiVersion") (result i32) i32.const 99)). Its first 8 bytes alone are a
    // module without the export.
    const other = [
      ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
      ...[1, 5, 1, 0x60, 0, 1, 0x7f, 3, 2, 1, 0],
      ...[7, 14, 1, 10, ...new TextEncoder().encode("abiVersion"), 0, 0],
      ...[10, 7, 1, 5, 0, 0x41, 0xe3, 0, 0x0b],
    ];
    await expect(instantiate(new Uint8Array(other))).rejects.toThrow(
      `has ABI version 99; this library needs version ${abiVersion}`,
    );
    const none = new Uint8Array(other.slice(0, 8));
    await expect(instantiate(none)).rejects.toThrow("is not Millrace's, or older");
  });
});

describe("the document's constants", () => {
  const sources = [
    ["assembly/tape/layout.ts", constantsOf(layoutSource)],
    ["assembly/tape/reasons.ts", constantsOf(reasonsSource)],
    ["assembly/tape/settings.ts", constantsOf(settingsSource)],
    ["assembly/correct/notes.ts", constantsOf(notesSource)],
  ] as const;

  it.each(sources)("include every constant of %s", (file, found) => {
    expect(found.length).toBeGreaterThan(3);
    for (const [name, value] of found) {
      expect(
        constants.get(name)?.value,
        `docs/reference/wasm-abi.md: ${file} has ${name} = ${value}, add or correct its row`,
      ).toBe(value);
    }
  });

  it("are all in the sources", () => {
    const known = new Set(sources.flatMap(([, found]) => found.map(([name]) => name)));
    expect([...constants.keys()].filter((name) => !known.has(name))).toEqual([]);
  });

  it("of protobuf equal those of assembly/protobuf/reasons.ts", () => {
    const rows = ["Status codes of protobuf", "Messages of protobuf"].flatMap((heading) => tables.get(heading)!);
    expect(rows.map(({ Name: name, Value: value }) => [name, Number(value)])).toEqual(constantsOf(protobufSource));
  });

  const layouts = [...tables].filter(([, rows]) => rows[0]!.Width !== undefined).map(([heading]) => heading);
  it.each(layouts)("lay out a %s without overlap", (heading) => {
    let end = 0;
    for (const { name, value, width } of [...constants.values()].filter((each) => each.heading === heading)) {
      expect(value, `offset of ${name}`).toBeGreaterThanOrEqual(end);
      expect(value % Math.min(width!, 8), `${name} is aligned`).toBe(0);
      end = value + width!;
    }
    const size = tables.get("Sizes")!.find(({ Of: of }) => of === heading);
    expect(size, `docs/reference/wasm-abi.md, table Sizes: the size of a ${heading}`).toBeDefined();
    expect(end).toBeLessThanOrEqual(Number(size!.Value));
  });

  it("equal those of lib/wasm/tape.ts", () => {
    const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
    const prefixes = {
      head: "B",
      point: "P",
      entry: "E",
      key: "K",
      failure: "F",
      traits: "T",
      warning: "W",
      note: "N",
    };
    const found: [constant: string, value: number][] = [];
    for (const [name, value] of Object.entries(tape)) {
      if (typeof value === "object") {
        const prefix = prefixes[name as keyof typeof prefixes];
        if (prefix !== undefined)
          for (const [of, at] of Object.entries(value)) found.push([`${prefix}_${snake(of)}`, at * 4]);
        else
          for (const [of, code] of Object.entries(value))
            found.push([name === "kinds" ? `KIND_${snake(of)}` : snake(of), code]);
      } else if (typeof value === "number") {
        if (name.endsWith("Words")) found.push([`${snake(name.slice(0, -5))}_SIZE`, value * 4]);
        else if (name.endsWith("Flag")) found.push([`ENTRY_${snake(name.slice(0, -4))}`, value >>> 8]);
        else if (name.endsWith("Key")) found.push([`KEY_${snake(name.slice(0, -3))}`, value]);
        else if (name.startsWith("point")) found.push([snake(name), value]);
      }
    }
    expect(found.length).toBeGreaterThan(40);
    for (const [constant, value] of found) expect(constants.get(constant)?.value, constant).toBe(value);
  });
});

describe("a host that was written from the document alone", () => {
  it("reads every kind of value", async () => {
    const host = await bareHost(wasm, constants, imports);
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
        flags: constants.get("POINT_NOTED")!.value,
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

  it("reads several lines, with and without the fast parser", async () => {
    const host = await bareHost(wasm, constants, imports);
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

  it("receives the good points, and a failure with code, place and details for each bad line", async () => {
    const host = await bareHost(wasm, constants, imports);
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

  it("removes refused keys, adds a required field, and finds keys by their ids", async () => {
    const host = await bareHost(wasm, constants, imports);
    const body = 'l m="1"\nl status="ok"\nl source="x"';
    const { points } = host.decode(new TextEncoder().encode(body), {
      refused: ["source"],
      required: ["status", "unknown"],
    });
    const [noted, required] = [constants.get("POINT_NOTED")!.value, constants.get("POINT_REQUIRED")!.value];
    expect(points.map(({ flags, entries }) => [flags, ...entries.map(([key, , value]) => `${key}=${value}`)])).toEqual([
      [required, "m=1", "status=unknown"],
      [0, "status=ok"],
      [noted | required, "status=unknown"],
    ]);
  });

  it("keeps the last of several equal tags, and refuses equal tags in strict mode", async () => {
    const host = await bareHost(wasm, constants, imports);
    const body = new TextEncoder().encode("m,a=1,a=2 x=1i");
    expect(host.decode(body).points[0]!.entries).toEqual([
      ["x", "int", 1n],
      ["a", "tag", "2"],
    ]);
    const strict = host.decode(body, { flags: constants.get("STRICT")!.value });
    expect(strict.failures.map(({ reason }) => reason)).toEqual([constants.get("DUPLICATE_TAGS")!.value]);
  });

  it("gets corrected points, and a note for each correction", async () => {
    const host = await bareHost(wasm, constants, imports);
    const lines =
      'm,a=1,a=2,täglich=y,v=ok x=1i\nm,k=a\\\nb a.b=1,a_b=2,no=[],u=9223372036854775808u,s="x" 1\nm x=1u 2\n';
    const { points, notes } = host.decode(new TextEncoder().encode(lines), {
      flags: ["DROPS_STRINGS", "REPLACES_DOTS", "DROPS_UINT"].reduce(
        (all, name) => all | constants.get(name)!.value,
        0,
      ),
      longest: 2,
      refused: ["v"],
    });
    expect(points.map(({ entries }) => entries)).toEqual([
      [
        ["x", "int", 1n],
        ["a", "tag", "2"],
        ["t", "tag", "y"],
      ],
      [
        ["a_b", "float", 2],
        ["no", "nil", null],
        ["k", "tag", "a\\"],
      ],
      [["x", "int", 1n]],
    ]);
    const name = new Map(
      tables.get("Codes of a note")!.map(({ Value: value, Constant: constant }) => [Number(value), constant]),
    );
    expect(notes.map(({ point, code, key, text, number }) => [point, name.get(code), key, text, number])).toEqual([
      [0, "SAME_KEY", "a", "", 0n],
      [0, "LONG_TAG_KEY", "täglich", "", 8n],
      [0, "REFUSED_KEY", "v", "", 0n],
      [1, "FIELD_KEY_DOT", "a.b", "", 0n],
      [1, "FIELD_EXISTS_ADJUSTED", "a_b", "", 0n],
      [1, "NIL_FIELD", "no", "", 0n],
      [1, "LARGE_UINT", "u", "", 2n ** 63n],
      [1, "STRING_DROPPED", "s", "", 0n],
      [1, "TAG_VALUE_NEWLINE", expect.anything(), "a\\\nb", 0n],
      [1, "LONG_TAG_VALUE", "k", "", 4n],
    ]);
  });

  it("reads a body in windows, and receives all failures at the end", async () => {
    const host = await bareHost(wasm, constants, imports);
    const body = new TextEncoder().encode(
      Array.from({ length: 30 }, (_, i) => (i % 7 === 6 ? "bad" : `m,t=${i} k${i}=${i}i,x=1i ${i + 1}`)).join("\n"),
    );
    const settings = { required: ["status", "ok"] } as const;
    const { points, failures } = host.decode(body, settings);
    expect([points.length, failures.length]).toEqual([26, 4]);
    const inWindows = host.decodeInWindows(body, 9, settings);
    // A window ends once it has at least 9 entries (tags and fields). Each point has four entries, so the third point
    // ends a window.
    expect(inWindows.windows.map(({ length }) => length)).toEqual([3, 3, 3, 3, 3, 3, 3, 3, 2]);
    expect(inWindows.windows.flat()).toEqual(points);
    expect(inWindows.failures).toEqual(failures);
    expect(host.pagesInUse()).toBe(0);
  });

  it("reads protobuf with the same corrections as lines", async () => {
    const host = await bareHost(wasm, constants, imports);
    const body = new TextEncoder().encode('m,t=v i=1i,s="a" 1700000000000000001\nm,t=v f=0.5,b="AQID"b 1700000000');
    const { output, written } = host.encode(body, 3);
    expect(written).toBe(2);
    const { points, failures, notes } = host.decodeProtobuf(output, {
      flags: constants.get("DROPS_STRINGS")!.value,
      refused: ["s"],
      required: ["i", "-"],
    });
    expect(failures).toEqual([]);
    const code = (name: string): number =>
      Number(tables.get("Codes of a note")!.find((row) => row.Constant?.includes(name))!.Value);
    expect(notes.map(({ point, code, key }) => [point, code, key])).toEqual([
      [0, code("REFUSED_KEY"), "s"],
      [1, code("STRING_DROPPED"), "b"],
    ]);
    const [noted, required] = [constants.get("POINT_NOTED")!.value, constants.get("POINT_REQUIRED")!.value];
    expect(points.map(({ name, time, flags, entries }) => [name, time, flags, new Set(entries)])).toEqual([
      [
        "m",
        1700000000000000001n,
        noted,
        new Set([
          ["t", "tag", "v"],
          ["i", "int", 1n],
        ]),
      ],
      [
        "m",
        1700000000000000000n,
        noted | required,
        new Set([
          ["t", "tag", "v"],
          ["f", "float", 0.5],
          ["i", "string", "-"],
        ]),
      ],
    ]);
    const broken = host.decodeProtobuf(output.subarray(0, output.length - 1));
    const eof = tables.get("Status codes of protobuf")!.find(({ Name: name }) => name === "UNEXPECTED_EOF")!.Value;
    expect(broken.points.length).toBe(1);
    expect(broken.failures).toEqual([expect.objectContaining({ reason: Number(eof), position: 1, line: "" })]);
  });

  it("appends entries to a point's chain", async () => {
    const host = await bareHost(wasm, constants, imports);
    const [before, after] = host.append(new TextEncoder().encode("m x=1i\nm x=2i"), 0, "note", "hello");
    expect(before).toEqual([["x", "int", 1n]]);
    expect(after).toEqual([...before, ["note", "string", "hello"], ["note", "string", "hello"]]);
  });

  it("writes points as line protocol and as JSON", async () => {
    const host = await bareHost(wasm, constants, imports);
    const body = new TextEncoder().encode(
      'm,t=v s="a\\"b",n=1i,f=2,b="AQID"b,x=[1.5,3.141592653589793238462] 1700000000\nm n=2i 1700000001',
    );
    const { output, written } = host.encode(body, 0);
    expect(new TextDecoder().decode(output)).toBe(
      'm,t=v b="AQID"b,f=2,n=1i,s="a\\"b",x=[1.5,3.141592653589793] 1700000000000000000\n' +
        "m n=2i 1700000001000000000",
    );
    expect(written).toBe(2);
    const json = JSON.parse(new TextDecoder().decode(host.encode(body, 1).output)) as {
      measurement: string;
      fields: { n: number };
    }[];
    expect(json.map(({ measurement, fields }) => [measurement, fields.n])).toEqual([
      ["m", 1],
      ["m", 2],
    ]);
    expect(host.pagesInUse()).toBe(0);
  });

  it("forwards lines, and adds a tag to each point that lacks this tag", async () => {
    const host = await bareHost(wasm, constants, imports);
    const body = new TextEncoder().encode(
      "# comment\nm,b=1,a=2 y=1.50,x=t 1700000000000000001\nm,h=0 y=1 1700000000\nm y=5.,x=2 1700000000000000001",
    );
    const { output, written } = host.encode(body, 4, ["h", "a b"]);
    expect(new TextDecoder().decode(output)).toBe(
      "m,b=1,a=2,h=a\\ b y=1.50,x=t 1700000000000000001\nm,h=0 y=1 1700000000000000000\n" +
        "m,h=a\\ b x=2,y=5 1700000000000000001",
    );
    expect(written).toBe(3);
    expect(host.pagesInUse()).toBe(0);
  });

  it("frees all its pages after decoding, and gets a trap when memory cannot grow", async () => {
    const host = await bareHost(wasm, constants, imports);
    const lines = Array.from({ length: 20_000 }, (_, i) => `m,t${i % 100}=v f${i % 300}=${i}i,g=${i}.5 ${i + 1}`).join(
      "\n",
    );
    expect(host.decode(new TextEncoder().encode(lines)).points.length).toBe(20_000);
    expect(host.pagesInUse()).toBe(0);
    expect(() => host.createBatch(0xfff00000)).toThrow(WebAssembly.RuntimeError);
  });
});

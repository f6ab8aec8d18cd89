// Tests projects that are stored as zip files: which files a zip contains, that a project is unchanged after it
// was saved and opened again, and how the page handles damaged, hostile or edited zips.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { crc32, deflateRawSync } from "node:zlib";
import fc from "fast-check";
import { Inflate, strToU8, unzipSync, zipSync } from "fflate";
import { describe, expect, it, vi } from "vitest";
import { emptyProject, type Project, parseProject } from "../../../playground/src/state/project.ts";
import { projectOfZip, zipOfProject } from "../../../playground/src/state/project-zip/project-files.ts";
import { readZip, zipLimits } from "../../../playground/src/state/project-zip/zip-file.ts";

const time = new Date("2026-01-02T03:04:06");

const project: Project = {
  ...emptyProject,
  title: "Nginx é 你好",
  scripts: [
    { name: "nginx.p", text: 'grok(_, "%{COMMONAPACHELOG}")\n' },
    { name: "b/../c.p", text: "\ufeffadd_key(a, 1)\r\n" },
    { name: "empty.p", text: "" },
  ],
  tables: [
    { name: "hosts.json", text: '[{"table_name":"hosts"}]\n' },
    { name: "a/b.json", text: "" },
  ],
  form: "json",
  input: '[{"a": 1}]\n',
  tests: "script: nginx.p\ntests: []\n",
  convert: { ...emptyProject.convert, body: "m f=1i" },
  grok: { ...emptyProject.grok, lines: "a line", patterns: "MINE \\d+\n" },
  sharding: { ...emptyProject.sharding, tags: "- a\n", keys: "host", sinks: "[]", points: "m f=1" },
  query: {
    text: "L::re(`.*`)",
    saved: [
      { name: "CON", text: "M::cpu" },
      { name: "con", text: "M::mem" },
    ],
  },
};

const text = (bytes: Uint8Array | undefined) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);

/** Makes the zip of a project, lets `change` edit its files, and returns the edited zip. */
function edited(change: (files: Record<string, Uint8Array>) => void, of: Project = project): Uint8Array {
  const files = unzipSync(zipOfProject(of, time));
  change(files);
  return zipSync(files);
}

/** Makes the zip of the project, lets `change` edit the content of `project.json`, and returns the edited zip. */
function withIndex(change: (index: Record<string, unknown>) => void): Uint8Array {
  return edited((files) => {
    const index = JSON.parse(text(files["project.json"])) as Record<string, unknown>;
    change(index);
    files["project.json"] = strToU8(JSON.stringify(index));
  });
}

/**
 * Writes a zip with one entry, byte by byte. The test chooses the sizes and other numbers in the zip, which may be
 * wrong.
 */
function crafted(part: {
  name?: string;
  content?: Uint8Array;
  bytes?: number;
  crc?: number;
  flags?: number;
  method?: number;
  count?: number;
  times?: number;
}): Uint8Array {
  const { name = "a.txt", content = strToU8("hello"), flags = 0, method = 8, times = 1 } = part;
  const packed = method === 8 ? deflateRawSync(content) : content;
  const named = strToU8(name);
  const numbers = (header: Buffer, at: number) => {
    header.writeUInt16LE(flags, at);
    header.writeUInt16LE(method, at + 2);
    header.writeUInt32LE(part.crc ?? crc32(content), at + 8);
    header.writeUInt32LE(packed.length, at + 12);
    header.writeUInt32LE(part.bytes ?? content.length, at + 16);
    header.writeUInt16LE(named.length, at + 20);
  };
  const local = Buffer.alloc(30);
  local.writeUInt32LE(0x04034b50, 0);
  numbers(local, 6);
  const entry = Buffer.alloc(46);
  entry.writeUInt32LE(0x02014b50, 0);
  numbers(entry, 8);
  const entries = Array.from({ length: times }, () => [entry, named]).flat();
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(part.count ?? times, 10);
  end.writeUInt32LE(30 + named.length + packed.length, 16);
  return new Uint8Array(Buffer.concat([local, named, packed, ...entries, end]));
}

describe("the zip of a project", () => {
  it("has readable files under names that every system allows", () => {
    const files = unzipSync(zipOfProject(project, time));
    expect(Object.keys(files).sort()).toEqual(
      [
        "project.json",
        "scripts/nginx.p",
        "scripts/b-..-c.p",
        "scripts/nginx.test.yaml",
        "tables/hosts.json",
        "inputs/pipeline.json",
        "inputs/convert.txt",
        "inputs/grok.log",
        "inputs/sharding.txt",
        "patterns/own.txt",
        "sharding/tags.yaml",
        "sharding/keys.txt",
        "sharding/sinker.json",
        "queries/query.dql",
        "queries/saved/CON-.dql",
        "queries/saved/con--2.dql",
      ].sort(),
    );
    expect(text(files["scripts/nginx.p"])).toBe('grok(_, "%{COMMONAPACHELOG}")\n');
    expect(text(files["scripts/b-..-c.p"])).toBe("\ufeffadd_key(a, 1)\r\n");
    expect(JSON.parse(text(files["project.json"]))).toMatchObject({
      format: "millrace-project",
      version: 1,
      title: "Nginx é 你好",
      category: "logging",
      scripts: [{ name: "nginx.p", text: { file: "scripts/nginx.p" } }, { name: "b/../c.p" }, { name: "empty.p" }],
      input: { file: "inputs/pipeline.json" },
    });
  });

  it("is the same bytes for the same project and time", () => {
    expect(zipOfProject(project, time)).toEqual(zipOfProject(structuredClone(project), time));
  });

  it("can be read by other programs", () => {
    const folder = mkdtempSync(path.join(tmpdir(), "millrace-zip-"));
    const file = path.join(folder, "p.zip");
    writeFileSync(file, zipOfProject(project, time));
    const list = "import sys,zipfile; z=zipfile.ZipFile(sys.argv[1]); print(z.testzip()); z.extractall(sys.argv[2])";
    expect(execFileSync("python3", ["-c", list, file, folder], { encoding: "utf8" })).toBe("None\n");
    expect(readFileSync(path.join(folder, "inputs/pipeline.json"), "utf8")).toBe(project.input);
    rmSync(folder, { recursive: true });
  });

  it("comes back as the same project", () => {
    expect(projectOfZip(zipOfProject(project, time))).toEqual({ project, leftOut: [] });
    expect(projectOfZip(zipOfProject(emptyProject, time))).toEqual({ project: emptyProject, leftOut: [] });
  });

  it("comes back as the same project, for any project", () => {
    // Any sequence of UTF-16 units, including unpaired surrogates and line ends.
    const anyText = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.string(),
      fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units)),
      fc.constantFrom("", "\ufeff", "\ud800", "a\r\nb\n", "project.json", "../x", "NUL.p", "a.p", "A.p"),
    );
    const named = fc.record({ name: anyText, text: anyText });
    const given = fc.record({
      title: anyText,
      scripts: fc.uniqueArray(named, { minLength: 1, maxLength: 6, selector: ({ name }) => name }),
      tables: fc.uniqueArray(named, { maxLength: 4, selector: ({ name }) => name }),
      category: fc.constantFrom("logging", "metric", "nope"),
      form: fc.constantFrom("lines", "messages", "lp", "json"),
      input: anyText,
      source: anyText,
      messageStart: anyText,
      timeZone: fc.constantFrom("", "Asia/Shanghai"),
      now: fc.constantFrom("", "2025-11-21T10:00:00Z"),
      maxSteps: fc.nat(),
      view: fc.constantFrom("table", "pbjson"),
      tests: anyText,
      convert: fc.record({ body: anyText, form: fc.constantFrom("auto", "pb"), precision: fc.constantFrom("", "ms") }),
      grok: fc.record({
        expression: anyText,
        replacement: anyText,
        trim: fc.boolean(),
        lines: anyText,
        patterns: anyText,
      }),
      sharding: fc.record({ tags: anyText, keys: anyText, sinks: anyText, points: anyText }),
      query: fc.record({ text: anyText, saved: fc.array(named, { maxLength: 4 }) }),
    });
    fc.assert(
      fc.property(given, (each) => {
        const whole = parseProject(each)!;
        const back = projectOfZip(zipOfProject(whole, time));
        expect(back).toEqual({ project: whole, leftOut: [] });
      }),
      { numRuns: 300 },
    );
  });

  it("is refused when it would be too large to be read again", () => {
    const many = Array.from({ length: zipLimits.entries }, (_, at) => ({ name: `${at}.p`, text: "x" }));
    expect(() => zipOfProject({ ...project, scripts: many }, time)).toThrow(/would have \d+ files, and at most 2000/);
    const large = { ...project, input: "x".repeat(zipLimits.entryBytes + 1) };
    expect(() => zipOfProject(large, time)).toThrow("inputs/pipeline.json is too large for a zip: 32.0 MiB.");
  });
});

describe("a zip that was edited by hand", () => {
  it("may have further scripts, and changed texts", () => {
    const { project: read, leftOut } = projectOfZip(
      edited((files) => {
        files["scripts/more.p"] = strToU8("drop()");
        files["scripts/nginx.p"] = strToU8("# changed");
      }),
    );
    expect(leftOut).toEqual([]);
    expect(read.scripts).toEqual([
      { name: "nginx.p", text: "# changed" },
      ...project.scripts.slice(1),
      { name: "more.p", text: "drop()" },
    ]);
  });

  it("may have further reference tables, within the limit of a project", () => {
    const { project: read, leftOut } = projectOfZip(
      edited((files) => {
        files["tables/more.json"] = strToU8("[]");
        files["tables/z.json"] = strToU8(" ".repeat(4_000_000));
        files["tables/notes.txt"] = strToU8("x");
      }),
    );
    expect(read.tables).toEqual([...project.tables, { name: "more.json", text: "[]" }]);
    expect(leftOut).toEqual([
      "tables/z.json: a project holds at most 100 files and 4 million characters of tables",
      "tables/notes.txt: no part of the project names it",
    ]);
  });

  it("may be a folder with the files, as macOS packs it", () => {
    const files = unzipSync(zipOfProject(project, time));
    const inFolder = Object.fromEntries(Object.entries(files).map(([name, each]) => [`nginx/${name}`, each]));
    const more = {
      "nginx/": new Uint8Array(),
      "__MACOSX/nginx/._project.json": strToU8("x"),
      "nginx/.DS_Store": strToU8("x"),
    };
    expect(projectOfZip(zipSync({ ...inFolder, ...more }))).toEqual({ project, leftOut: [] });
  });

  it.each<[what: string, zip: Uint8Array, leftOut: string[], part: Partial<Project>]>([
    [
      "an entry is missing",
      edited((files) => delete files["patterns/own.txt"]),
      ["patterns/own.txt: the zip has no such entry, or it was left out; grok.patterns is empty"],
      { grok: { ...project.grok, patterns: "" } },
    ],
    [
      "an entry is not text",
      edited((files) => {
        files["scripts/nginx.p"] = Uint8Array.of(0xff, 0xfe);
      }),
      ["scripts/nginx.p: it is not UTF-8 text"],
      { scripts: project.scripts.slice(1) },
    ],
    [
      "there is a file that nothing names",
      edited((files) => {
        files["notes.md"] = strToU8("x");
      }),
      ["notes.md: no part of the project names it"],
      {},
    ],
    [
      "settings are unknown",
      withIndex((index) => {
        index.category = "nope";
        index.maxSteps = "many";
      }),
      [
        'project.json: category cannot be "nope"; "logging" is used',
        'project.json: maxSteps cannot be "many"; 10000000 is used',
      ],
      {},
    ],
    [
      "a script is no script, and another one has its name twice",
      withIndex((index) => {
        index.scripts = [5, { name: "a.p", text: "1" }, { name: "a.p", text: "2" }];
      }),
      ["project.json: scripts[0] is no script", "scripts[2]: a second script of this name"],
      {
        scripts: [
          { name: "a.p", text: "1" },
          { name: "b-..-c.p", text: "\ufeffadd_key(a, 1)\r\n" },
          { name: "nginx.p", text: project.scripts[0]!.text },
        ],
      },
    ],
  ])("keeps the rest when %s", (_what, zip, leftOut, part) => {
    const read = projectOfZip(zip);
    const sorted = { ...read.project, scripts: [...read.project.scripts].sort((a, b) => a.name.localeCompare(b.name)) };
    const wanted = { ...project, ...part };
    expect(read.leftOut).toEqual(leftOut);
    expect(sorted).toEqual({ ...wanted, scripts: [...wanted.scripts].sort((a, b) => a.name.localeCompare(b.name)) });
  });

  it("becomes a project with an empty script when no script can be read", () => {
    const { project: read, leftOut } = projectOfZip(
      zipSync({ "project.json": strToU8('{"format":"millrace-project","version":1,"title":"Bare"}') }),
    );
    expect(read).toEqual({ ...emptyProject, title: "Bare" });
    expect(leftOut).toEqual(["scripts: there is none, so the project has an empty one"]);
  });

  it.each<[zip: Uint8Array, message: string]>([
    [zipSync({ "a.p": strToU8("x") }), "no readable project.json"],
    [zipSync({ "project.json": strToU8("{") }), "project.json is no JSON"],
    [zipSync({ "project.json": strToU8("[]") }), "does not describe a project of this page"],
    [zipSync({ "project.json": strToU8("null") }), "does not describe a project of this page"],
    [withIndex((index) => (index.version = 2)), "project.json has version 2, and this page reads version 1"],
    [withIndex((index) => (index.version = "1")), "project.json has no version"],
  ])("is refused when it contains no project that the page can read (%#)", (zip, message) => {
    expect(() => projectOfZip(zip)).toThrow(message);
  });
});

describe("a damaged or hostile zip", () => {
  it("is read when no part of it is damaged", () => {
    expect(text(readZip(crafted({})).files.get("a.txt"))).toBe("hello");
    expect(text(readZip(crafted({ method: 0 })).files.get("a.txt"))).toBe("hello");
  });

  it.each<[part: Parameters<typeof crafted>[0], reason: string]>([
    [{ crc: 1 }, "a.txt: its check sum is wrong"],
    [{ bytes: 4 }, "a.txt: it unfolds to another size than the zip says"],
    [{ bytes: 6 }, "a.txt: it unfolds to another size than the zip says"],
    [{ flags: 1 }, "a.txt: it is encrypted"],
    [{ method: 12 }, "a.txt: it is compressed by method 12, which is not read"],
    [{ bytes: zipLimits.entryBytes + 1 }, "a.txt: it has 32.0 MiB, and at most 32.0 MiB are read"],
    ...["../a", "/a", "a//b", "a\\b", "c:a", "a/./b", "a/..", "\u0000"].map(
      (name): [Parameters<typeof crafted>[0], string] => [{ name }, "its name leaves the folder"],
    ),
    [{ times: 2 }, "a.txt: a second entry of this name"],
  ])("is read without the bad entry: %j", (part, reason) => {
    const { leftOut } = readZip(crafted(part));
    expect(leftOut).toHaveLength(1);
    expect(leftOut[0]).toContain(reason);
  });

  it.each<[zip: Uint8Array, message: string]>([
    [new Uint8Array(), "The file is no zip"],
    [strToU8("PK"), "The file is no zip"],
    [zipOfProject(project, time).subarray(0, 200), "The file is no zip, or its end is missing."],
    [crafted({ count: 2 }), "its directory ends at entry 2 of 2"],
    [crafted({ count: 0xffff }), "ZIP64"],
    [crafted({ count: 2001 }), "The zip has 2001 entries, and at most 2000 are read."],
    [crafted({ name: "n".repeat(401) }), "number 1, whose name is too long"],
    [new Uint8Array(zipLimits.zipBytes + 1), "The zip has 64.0 MiB, and at most 64.0 MiB are read."],
  ])("is refused as a whole (%#)", (zip, message) => {
    expect(() => readZip(zip)).toThrow(message);
  });

  it("is no longer unpacked once an entry exceeds its stated size", () => {
    const bomb = crafted({ content: new Uint8Array(256 * 1024 * 1024), bytes: 10 });
    const push = vi.spyOn(Inflate.prototype, "push");
    expect(readZip(bomb).leftOut).toEqual(["a.txt: it unfolds to another size than the zip says"]);
    // The compressed entry would be decompressed in about 16 slices. The first slice already has more bytes than the
    // zip states for the whole entry, so decompressing stops after this slice.
    expect(push).toHaveBeenCalledTimes(1);
    push.mockRestore();
  });

  it("is refused when its entries unpack to more than 64 MiB together", () => {
    const names = Array.from({ length: 20 }, (_, at) => `${at}.txt`);
    const each = new Uint8Array(8 * 1024 * 1024);
    expect(() => readZip(zipSync(Object.fromEntries(names.map((name) => [name, each]))))).toThrow(
      "The zip unfolds to more than 64.0 MiB, at 8.txt.",
    );
  });

  it("causes only ZipErrors and short messages for random damage", () => {
    const zip = zipOfProject(project, time);
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(zip.length - 1), fc.nat(255)), { maxLength: 30 }), (changes) => {
        const damaged = zip.slice();
        for (const [at, byte] of changes) damaged[at] = byte;
        try {
          for (const each of projectOfZip(damaged).leftOut) expect(each.length).toBeLessThan(300);
        } catch (error) {
          expect((error as Error).constructor.name).toBe("ZipError");
          expect((error as Error).message.length).toBeLessThan(400);
        }
      }),
      { numRuns: 300 },
    );
  });
});

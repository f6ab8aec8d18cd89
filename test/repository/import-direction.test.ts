// Checks every import against a table of the folders ("rooms") that each folder may import, and fails on an import that
// the table does not allow.

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import serverPackage from "../../server/package.json" with { type: "json" };

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");

/**
 * The rooms (folders) that each room may import. A room may also import itself, all rooms inside it, and the rooms that
 * its parent room may import. It may import a sibling room inside the same parent only when that sibling is listed.
 */
const rooms: Record<string, readonly string[]> = {
  "assembly/memory": [],
  "assembly/text": [],
  "assembly/tape": ["assembly/text", "assembly/memory"],
  "assembly/number": ["assembly/tape", "assembly/memory"],
  "assembly/correct": ["assembly/tape", "assembly/text"],
  // The line protocol scanner passes each parsed point to code in `assembly/correct`, so `assembly/line-protocol` may
  // import from `assembly/correct`.
  "assembly/line-protocol": [
    "assembly/correct",
    "assembly/number",
    "assembly/tape",
    "assembly/text",
    "assembly/memory",
  ],
  "assembly/json": ["assembly/correct", "assembly/number", "assembly/tape", "assembly/text", "assembly/memory"],
  "assembly/protobuf": ["assembly/correct", "assembly/tape"],
  "assembly/encode": ["assembly/number", "assembly/tape", "assembly/text", "assembly/memory"],
  "assembly/regex": [],
  "assembly/grok": ["assembly/number"],
  // Operations of scripts copy members of a JSON text to a point, so `assembly/script` may import from `assembly/json`.
  "assembly/script": ["assembly/grok", "assembly/json", "assembly/regex", "assembly/number", "assembly/tape"],
  // The files directly in `assembly` export the functions of the WebAssembly module. They may import the rooms inside
  // `assembly`, and no others.
  assembly: [],
  "lib/wasm": [],
  "lib/digest": [],
  "lib/text": [],
  "lib/time": [],
  "lib/regex": ["lib/text", "lib/wasm"],
  "lib/regex/syntax": [],
  "lib/regex/automaton": ["lib/regex/syntax"],
  "lib/regex/codegen": ["lib/regex/automaton"],
  "lib/regex/engines": ["lib/regex/codegen", "lib/regex/automaton", "lib/regex/syntax"],
  // Grok makes values of points from captures with a type, and the types of these values are declared in
  // lib/point. So lib/grok may import lib/point.
  "lib/grok": ["lib/regex", "lib/point", "lib/text", "lib/wasm"],
  "lib/grok/suggest": ["lib/grok"],
  "lib/grok/mismatch": ["lib/grok/suggest", "lib/grok"],
  "lib/point": ["lib/text", "lib/digest", "lib/wasm"],
  "lib/point/batch": ["lib/point"],
  "lib/point/codec": ["lib/point", "lib/point/batch"],
  // Table cells are parsed to numbers and strings like the typed captures of grok, so lib/refer-table may import
  // lib/grok.
  "lib/refer-table": ["lib/grok", "lib/point", "lib/text", "lib/wasm"],
  "lib/pipeline": [
    "lib/text",
    "lib/time",
    "lib/refer-table",
    "lib/grok",
    "lib/regex",
    "lib/point",
    "lib/digest",
    "lib/wasm",
  ],
  "lib/pipeline/syntax": [],
  "lib/pipeline/xml": [],
  "lib/pipeline/runtime": ["lib/pipeline/syntax"],
  "lib/pipeline/functions": ["lib/pipeline/runtime", "lib/pipeline/syntax", "lib/pipeline/xml"],
  "lib/pipeline/compile": ["lib/pipeline/functions", "lib/pipeline/runtime", "lib/pipeline/syntax"],
  "lib/pipeline/editor": [
    "lib/pipeline/compile",
    "lib/pipeline/functions",
    "lib/pipeline/runtime",
    "lib/pipeline/syntax",
  ],
  "lib/filter": ["lib/text", "lib/regex", "lib/point", "lib/wasm"],
  "lib/dql": ["lib/text", "lib/time", "lib/regex", "lib/point", "lib/wasm"],
  "lib/dql/syntax": [],
  "lib/dql/semantics": ["lib/dql/syntax"],
  "lib/dql/evaluate": ["lib/dql/semantics", "lib/dql/syntax"],
  "lib/dql/sql": ["lib/dql/evaluate", "lib/dql/semantics", "lib/dql/syntax"],
  "lib/dql/answer": ["lib/dql/evaluate", "lib/dql/semantics", "lib/dql/syntax"],
  "lib/dql/editor": ["lib/dql/answer", "lib/dql/evaluate", "lib/dql/semantics", "lib/dql/syntax"],
  "lib/sharding": ["lib/filter", "lib/point", "lib/text", "lib/wasm"],
  "lib/easy": ["lib/pipeline", "lib/refer-table", "lib/grok", "lib/point", "lib/text", "lib/time", "lib/wasm"],
  "lib/script-tests": ["lib/pipeline", "lib/point", "lib/text"],
  lib: [
    "lib/easy",
    "lib/wasm",
    "lib/regex",
    "lib/grok",
    "lib/point",
    "lib/refer-table",
    "lib/pipeline",
    "lib/filter",
    "lib/sharding",
    "lib/dql",
    "lib/script-tests",
  ],
  "server/time": [],
  "server/dashboards": [],
  "server/config": ["lib"],
  "server/telemetry": ["server/config", "lib"],
  "server/outbound": ["server/telemetry", "server/config", "server/time", "lib"],
  "server/http": ["server/outbound", "server/telemetry", "server/config", "lib"],
  "server/geoip": ["lib"],
  "server/refer-table": [
    "server/queue",
    "server/outbound",
    "server/telemetry",
    "server/http",
    "server/config",
    "server/time",
    "lib",
  ],
  "server/queue": ["server/time"],
  "server/queue/log": ["server/queue"],
  "server/queue/lock": ["server/queue"],
  "server/queue/delivery": ["server/queue/log", "server/queue"],
  "server/agent": [
    "server/dashboards",
    "server/refer-table",
    "server/geoip",
    "server/queue",
    "server/outbound",
    "server/http",
    "server/telemetry",
    "server/config",
    "server/time",
    "lib",
  ],
  "server/agent/inputs": ["server/agent/serving", "server/agent/ingest", "server/agent"],
  "server/agent/outputs": ["server/agent"],
  "server/agent/scripts": ["server/agent"],
  "server/agent/ingest": ["server/agent/outputs", "server/agent/scripts", "server/agent/source-maps", "server/agent"],
  "server/agent/routes": [
    "server/agent/serving",
    "server/agent/outputs",
    "server/agent/ingest",
    "server/agent/scripts",
    "server/agent",
  ],
  "server/agent/serving": ["server/agent/ingest", "server/agent"],
  "server/gateway": [
    "server/queue",
    "server/outbound",
    "server/http",
    "server/telemetry",
    "server/config",
    "server/time",
    "lib",
  ],
  "server/store": ["server/queue", "lib"],
  "server/platform": [
    "server/store",
    "server/queue",
    "server/outbound",
    "server/http",
    "server/telemetry",
    "server/config",
    "server/time",
    "lib",
  ],
  server: [
    "server/agent",
    "server/dashboards",
    "server/gateway",
    "server/platform",
    "server/store",
    "server/refer-table",
    "server/queue",
    "server/outbound",
    "server/http",
    "server/telemetry",
    "server/config",
    "server/time",
    "lib",
  ],
  "playground/src": ["lib"],
};

/** The packages that each room may import. An import of any other package is refused. */
const packages: Record<string, RegExp> = {
  assembly: /(?!)/,
  lib: /^#default-wasm$/,
  // The files that load the WebAssembly module of the package: one file for each JavaScript runtime, among which the
  // conditions in package.json choose.
  "lib/wasm/host/": /^node:fs\/promises$/,
  server: new RegExp(`^(node:.*|${Object.keys(serverPackage.dependencies).join("|")})$`),
  playground:
    /^(svelte|comlink|idb|fflate|fzstd|mmdb-lib|@ip-location-db\/[^?]+\?url|@codemirror\/.*|@lezer\/highlight|@duckdb\/duckdb-wasm|apache-arrow|yaml|uplot(?:\/dist\/uPlot\.min\.css)?)$/,
};

function roomOf(file: string): string | undefined {
  const names = Object.keys(rooms).sort((a, b) => b.length - a.length);
  return names.find((name) => file.startsWith(`${name}/`));
}

function sources(folder: string): string[] {
  return readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const at = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return /^(node_modules|dist)$/.test(entry.name) ? [] : sources(at);
    return /\.(ts|peggy|svelte)$/.test(entry.name) ? [at] : [];
  });
}

/** Returns the targets of `import ... from`, `export ... from` and `import(...)` in the source text of a file. */
function importsOf(text: string): string[] {
  return [
    ...text.matchAll(
      /(?:^|\n)\s*(?:import|export)\b[^;"']*?from\s*["']([^"']+)["']|import\(\s*["']([^"']+)["']\s*\)|(?:^|\n)\s*import\s*["']([^"']+)["']/g,
    ),
  ].map((match) => (match[1] ?? match[2] ?? match[3])!);
}

/**
 * Returns for each file the files that it imports by value. Imports of types alone do not count; AssemblyScript has
 * no syntax for such imports, so in assembly every import counts.
 */
function valueImports(files: readonly string[]): Map<string, string[]> {
  const known = new Set(files);
  return new Map(
    files.map((file) => {
      const text = readFileSync(path.join(root, file), "utf8")
        .replace(/\b(?:import|export)\s+type\b[^;]*?from\s*["'][^"']+["']/g, "")
        .replace(/\bimport\s*\{(?:\s*type\s+[^,}]+,?)+\s*\}\s*from\s*["'][^"']+["']/g, "");
      const targets = importsOf(text).map((target) =>
        path.posix.normalize(path.posix.join(path.posix.dirname(file), target)),
      );
      return [file, targets.map((to) => (known.has(to) ? to : `${to}.ts`)).filter((to) => known.has(to))];
    }),
  );
}

/**
 * Returns the import cycles: the strongly connected components with more than one file (Tarjan, "Depth-first search
 * and linear graph algorithms", 1972).
 */
function circles(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const found: string[][] = [];
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const visit = (file: string): void => {
    order.set(file, order.size);
    lowest.set(file, order.get(file)!);
    open.push(file);
    for (const next of graph.get(file) ?? []) {
      if (!order.has(next)) visit(next);
      if (open.includes(next)) lowest.set(file, Math.min(lowest.get(file)!, lowest.get(next)!));
    }
    if (lowest.get(file) !== order.get(file)) return;
    const circle = open.splice(open.indexOf(file)).reverse();
    if (circle.length > 1) found.push(circle);
  };
  for (const file of graph.keys()) if (!order.has(file)) visit(file);
  return found;
}

function packagesOf(file: string): RegExp {
  const folders = Object.keys(packages).sort((a, b) => b.length - a.length);
  return packages[folders.find((folder) => file.startsWith(folder))!]!;
}

function isInside(room: string, outer: string): boolean {
  return room === outer || room.startsWith(`${outer}/`);
}

function allowed(room: string): readonly string[] {
  const outer = roomOf(room);
  // A room directly inside a top folder (such as lib) may import only the rooms that its own entry in the table lists.
  // A deeper room may also import the rooms that its parent room may import.
  return outer === undefined || !outer.includes("/") ? rooms[room]! : [...rooms[room]!, ...allowed(outer)];
}

/** Returns the reason why a file may not import a target, or null when it may. */
function refusal(file: string, target: string): string | null {
  const room = roomOf(file);
  if (room === undefined) return null;
  if (!target.startsWith(".")) return packagesOf(file).test(target) ? null : `${file} imports the package ${target}`;
  const to = path.posix.normalize(path.posix.join(path.posix.dirname(file), target));
  const toRoom = roomOf(to);
  if (toRoom === undefined) return `${file} imports ${to}, which is no room`;
  if (to.startsWith("lib/") && !room.startsWith("lib") && !to.endsWith("/index.ts")) {
    return `${file} imports ${to}, which is no index of the library`;
  }
  if (isInside(toRoom, room)) return null;
  // A room that may import another room may also import all rooms inside that other room. There is one exception:
  // when the importing room lies inside the other room, it may import only the files directly in the other room,
  // and none of the rooms inside it.
  if (allowed(room).some((name) => toRoom === name || (isInside(toRoom, name) && !isInside(room, name)))) return null;
  return `${file} (${room}) imports ${to} (${toRoom})`;
}

describe("the check of import directions", () => {
  const files = [...sources("assembly"), ...sources("lib"), ...sources("server"), ...sources("playground/src")];

  it("finds the sources", () => {
    expect(files.length).toBeGreaterThan(20);
    expect(importsOf('import { a } from "./b.ts";\nexport * from "../c.ts"')).toEqual(["./b.ts", "../c.ts"]);
  });

  it("refuses an import in the wrong direction", () => {
    expect(refusal("assembly/tape/batch.ts", "../number/scan")).toContain("assembly/number");
    expect(refusal("assembly/json/scan.ts", "../line-protocol/tags")).toContain("assembly/line-protocol");
    expect(refusal("assembly/index.ts", "./tape/batch")).toBeNull();
    expect(refusal("assembly/tape/batch.ts", "util")).toContain("util");
    expect(refusal("lib/point/batch/batch.ts", "../../pipeline/value.ts")).toContain("lib/pipeline");
    expect(refusal("lib/regex/syntax/parse.ts", "../../grok/grok.ts")).toContain("lib/grok");
    expect(refusal("lib/index.ts", "../server/main.ts")).toContain("server/main.ts");
    expect(refusal("lib/point/batch/batch.ts", "node:fs")).toContain("node:fs");
    expect(refusal("lib/wasm/module.ts", "node:fs/promises")).toContain("node:fs");
    expect(refusal("lib/pipeline/runtime/run.ts", "../../point/value.ts")).toBeNull();
    expect(refusal("lib/wasm/host/node.ts", "node:fs/promises")).toBeNull();
    expect(refusal("lib/wasm/host/web.ts", "../../point/value.ts")).toContain("lib/point");
  });

  it("refuses an import by the server or the page that bypasses the index files of the library", () => {
    expect(refusal("server/cli/tool.ts", "../../lib/point/limits.ts")).toContain("no index of the library");
    expect(refusal("playground/src/run.ts", "../../lib/millrace.ts")).toContain("no index of the library");
    expect(refusal("server/cli/tool.ts", "../../lib/point/index.ts")).toBeNull();
    expect(refusal("server/store/plan.ts", "../../lib/dql/sql/index.ts")).toBeNull();
    expect(refusal("playground/src/run.ts", "../../lib/index.ts")).toBeNull();
  });

  it("finds no import in the wrong direction", () => {
    const refused = files.flatMap((file) =>
      importsOf(readFileSync(path.join(root, file), "utf8"))
        .map((target) => refusal(file, target))
        .filter((reason) => reason !== null),
    );
    expect(refused).toEqual([]);
  });

  it("finds no files that import values from each other in a circle", () => {
    expect(circles(valueImports(files))).toEqual([]);
  });

  it("finds the file of an AssemblyScript import, which has no file extension", () => {
    expect(valueImports(["assembly/tape/finite.ts", "assembly/tape/layout.ts"])).toEqual(
      new Map([
        ["assembly/tape/finite.ts", ["assembly/tape/layout.ts"]],
        ["assembly/tape/layout.ts", []],
      ]),
    );
  });

  it("finds a circle of files", () => {
    const graph = new Map([
      ["a", ["b"]],
      ["b", ["c"]],
      ["c", ["b"]],
      ["d", ["a"]],
    ]);
    expect(circles(graph)).toEqual([["c", "b"]]);
  });

  it("finds no global of a single host in lib", () => {
    const hostOnly =
      /(?<![.\w"'`-])(?:window|document|process|Buffer|localStorage|__dirname)(?:\.|\()|\brequire\(["'`]/;
    const found = sources("lib").flatMap((file) =>
      readFileSync(path.join(root, file), "utf8")
        .split("\n")
        .flatMap((line, at) =>
          !/^\s*(\/\/|\*|\/\*)/.test(line) && hostOnly.test(line) ? [`${file}:${at + 1}: ${line.trim()}`] : [],
        ),
    );
    expect(found).toEqual([]);
  });

  it("finds no code that evaluates text as code", () => {
    const evaluates = /\beval\s*\(|new\s+Function\s*\(/;
    const found = files.filter((file) => evaluates.test(readFileSync(path.join(root, file), "utf8")));
    expect(found).toEqual([]);
  });
});

// How `npm test` plans a run: it builds only the parts that the chosen tests need, runs only the Vitest projects that
// they need, and looks for Chromium only if a test needs a browser.

import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
const moduleOf = (name: string): string => new URL(`../../server/${name}.mjs`, import.meta.url).href;

interface Room {
  readonly tests: string;
  readonly projects: readonly string[];
  readonly needs: readonly string[];
}

interface Plan {
  readonly all: boolean;
  readonly tests: readonly { readonly test: string; readonly needs: readonly string[] }[];
  readonly needs: readonly string[];
  readonly args: readonly string[];
  readonly note?: string;
}

interface Step {
  readonly name: string;
  readonly makes: readonly string[];
}

const {
  readRooms,
  listTests,
  planTests,
}: {
  readRooms(root: string): Room[];
  listTests(root: string, rooms: readonly Room[]): string[];
  planTests(root: string, args: readonly string[], tests: readonly string[], rooms: readonly Room[]): Plan;
} = await import(moduleOf("plan-tests"));
const {
  build,
  isRead,
}: {
  build(
    root: string,
    say: (line: string) => void,
    parts?: readonly string[],
    run?: (step: Step) => void,
  ): Promise<void>;
  isRead(file: string, parts: readonly string[]): boolean;
} = await import(moduleOf("build"));

const rooms = readRooms(root);
const tests = listTests(root, rooms);
const plan = (args: string): Plan => planTests(root, args === "" ? [] : args.split(" "), tests, rooms);

const correct = "test/lib/point/correct.test.ts";
const write = "test/server/agent/inputs/http-write/write.test.ts";
const page = "test/playground/page/frame/page.test.ts";
const published = ["published", "page"];

describe("a run of tests", () => {
  it.each<[args: string, needs: readonly string[], projects: readonly string[]]>([
    [correct, [], ["node"]],
    [`./${correct}`, [], ["node"]],
    [path.join(root, correct), [], ["node"]],
    [`${correct}:12`, [], ["node"]],
    ["lib/point/correct", [], ["node"]],
    [`--maxWorkers 1 ${correct}`, [], ["node"]],
    [`--maxWorkers=1 ${correct} -t limits`, [], ["node"]],
    [`--run ${correct}`, [], ["node"]],
    [`--no-color ${correct}`, [], ["node"]],
    ["test/conformance", [], ["node"]],
    ["test/browser", ["chromium"], ["chromium"]],
    ["test/counted", [], ["server"]],
    [write, ["quick"], ["server"]],
    [`${correct} ${write}`, ["quick"], ["node", "server"]],
    ["test/server/agent/routes/playground.test.ts", ["quick", "page"], ["server"]],
    ["test/repository/bootstrap.test.ts", published, ["server"]],
    ["test/fault", ["quick"], ["server"]],
    ["test/playground/state/state.test.ts", [], ["playground"]],
    [page, ["quick", "page", "chromium"], ["playground"]],
    ["test/package", published, ["server"]],
    ["test/runtimes", [...published, "chromium", "runtimes"], ["server"]],
    ["test/no-such-file", [], []],
  ])("of %s needs %j and runs in %j", (args, needs, projects) => {
    const made = plan(args);
    expect([made.all, made.needs]).toEqual([false, needs]);
    expect(made.args).toEqual([...args.split(" "), ...projects.map((name) => `--project=${name}`)]);
  });

  it.each<[args: string, needs: readonly string[]]>([
    [`${correct} --project node`, []],
    [`--project=chromium ${correct}`, ["chromium"]],
    [`${correct} --project node --project chromium`, ["chromium"]],
    ["--project node", []],
    ["--project chromium", ["chromium"]],
    [`${correct} --project !node`, ["chromium"]],
  ])("with %s keeps the projects that were named, and needs %j", (args, needs) => {
    const made = plan(args);
    expect([made.all, made.needs, made.args, made.note]).toEqual([false, needs, args.split(" "), undefined]);
  });

  it.each(["", "-t points", "--maxWorkers 1", "--reporter dot"])("with “%s” is one of all tests", (args) => {
    const made = plan(args);
    expect([made.all, made.args, made.note]).toEqual([true, args === "" ? [] : args.split(" "), undefined]);
    expect(made.tests.length).toBe(tests.length);
    expect(made.needs).toEqual(expect.arrayContaining([...published, "chromium", "runtimes"]));
  });

  it("says which project it leaves out", () => {
    expect(plan(correct).note).toBe("Runs the tests in node only; --project chromium runs them there.");
    expect(plan(write).note).toBeUndefined();
    expect(plan("test/browser").note).toBeUndefined();
  });
});

describe("test/rooms.json", () => {
  /** Returns the source texts of a test file and of all files below test/ that it imports. */
  function textsOf(file: string, seen = new Map<string, string>()): string[] {
    if (!seen.has(file)) {
      const text = readFileSync(path.join(root, file), "utf8");
      seen.set(file, text);
      for (const [, target] of text.matchAll(/^(?:import (?!type )|export |\}).*\bfrom "(\.[^"]+\.ts)"/gm)) {
        const imported = path.posix.join(path.posix.dirname(file), target!);
        if (imported.startsWith("test/")) textsOf(imported, seen);
      }
    }
    return [...seen.values()];
  }

  it("names only folders and files that exist", () => {
    expect(rooms.map((room) => room.tests).filter((place) => !existsSync(path.join(root, place)))).toEqual([]);
  });

  // The check leaves out this test file. The file contains the patterns that the check searches for, but needs no
  // server, browser or page.
  const others = tests.filter((test) => test !== "test/repository/plan-tests.test.ts");

  it.each<[used: string, pattern: RegExp, needs: readonly string[]]>([
    ["the compiled server", /\.\.\/dist\/(?:server|test|",)/, ["quick", "published"]],
    ["a browser that it starts itself", /process\.env\.CHROMIUM_PATH/, ["chromium"]],
    ["the built page", /startPlayground\(\)|playground\/sizes\.mjs|"playground\/dist/, ["page"]],
  ])("declares the need of each file that uses %s", (_, pattern, needs) => {
    const using = others.filter((file) => textsOf(file).some((text) => pattern.test(text)));
    expect(using).not.toEqual([]);
    const undeclared = using.filter((file) => !plan(file).needs.some((need) => needs.includes(need)));
    expect(undeclared).toEqual([]);
  });
});

describe("the build", () => {
  /** Makes a repository of a few files, and a build whose steps write their own names into the files that they make. */
  function smallRepository() {
    const folder = mkdtempSync(path.join(tmpdir(), "millrace-build-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const change = (file: string, text: string): void => {
      mkdirSync(path.join(folder, path.dirname(file)), { recursive: true });
      writeFileSync(path.join(folder, file), text);
    };
    mkdirSync(path.join(folder, "node_modules"));
    for (const file of ["assembly/a.ts", "lib/a.ts", "lib/filter/grammar.peggy", "server/a.ts", "playground/a.ts"])
      change(file, "before");
    /** Runs the build and returns the names of the steps that ran. */
    const built = async (parts?: readonly string[]): Promise<string[]> => {
      const names: string[] = [];
      await build(
        folder,
        () => {},
        parts,
        ({ name, makes }) => {
          names.push(name);
          for (const file of makes) change(file, name);
        },
      );
      return names;
    };
    return { change, built };
  }

  const quick = "TypeScript without types";

  it.each<[edited: string, parts: readonly string[] | undefined, steps: readonly string[]]>([
    ["lib/a.ts", [], []],
    ["lib/a.ts", ["quick"], [quick]],
    ["lib/a.ts", ["quick", "page", "chromium"], [quick, "playground"]],
    ["lib/a.ts", undefined, ["TypeScript", "playground"]],
    ["lib/a.test.ts", undefined, []],
    ["server/a.ts", [], []],
    ["server/a.ts", ["quick"], [quick]],
    ["server/a.ts", undefined, ["TypeScript"]],
    ["playground/a.ts", ["quick"], []],
    ["playground/a.ts", ["page"], ["playground"]],
    ["lib/filter/grammar.peggy", [], ["grammar lib/filter/grammar"]],
    ["assembly/a.ts", [], ["WebAssembly", "WebAssembly that counts its steps, for tests"]],
    ["docs/a.md", undefined, []],
  ])("runs, after a change of %s for the parts %j, the steps %j, and then nothing", async (edited, parts, steps) => {
    const { change, built } = smallRepository();
    await built();
    expect(await built(parts)).toEqual([]);
    change(edited, "after");
    expect(await built(parts)).toEqual(steps);
    expect(await built(parts)).toEqual([]);
  });

  it("builds the published files again when a run of tests has overwritten them", async () => {
    const { change, built } = smallRepository();
    await built();
    change("server/a.ts", "after");
    await built(["quick"]);
    change("server/a.ts", "before");
    expect(await built()).toEqual(["TypeScript"]);
    expect(await built(["quick"])).toEqual([]);
  });

  it.each<[file: string, needs: readonly string[], read: boolean]>([
    ["lib/point/limits.ts", [], false],
    ["lib/point/limits.ts", ["quick"], true],
    ["lib/point/limits.test.ts", ["quick"], false],
    ["lib/filter/grammar.js", ["quick"], false],
    ["lib/filter/grammar.peggy", [], true],
    ["server/main.ts", ["page"], false],
    ["playground/src/base.css", ["page"], true],
    ["library/a.ts", ["quick"], false],
  ])("knows whether a change of %s concerns a watched test that needs %j: %j", (file, needs, read) => {
    expect(isRead(file, needs)).toBe(read);
  });
});

// How often the agent's engine compiles: what was settled is loaded as it is, what is loaded stays, and what nobody runs
// is freed.

import { beforeEach, expect, it, vi } from "vitest";
import { compileWasm, createEngine, Key, Point } from "../../../server/agent/engine.ts";
import type { InForce } from "../../../server/agent/last-good.ts";

const made = vi.hoisted(() => ({ compiled: [] as string[], live: 0 }));

vi.mock(import("../../../lib/index.ts"), async (original) => {
  const lib = await original();
  return {
    ...lib,
    createMillrace: async (options) => {
      const mill = await lib.createMillrace(options);
      return {
        ...mill,
        compile: (scripts, its) => {
          const set = mill.compile(scripts, its);
          made.compiled.push(Object.keys(scripts).join(" "));
          made.live++;
          const free = () => {
            made.live--;
            set.free();
          };
          return { ...set, free };
        },
      };
    },
  };
});

const nothing: InForce = { scripts: {}, helpers: {} };
const mark = (text: string) => `if grok(_, "%{WORD:w}") { add_key(by, "${text}") }`;
const wasm = compileWasm();
let engine: Awaited<ReturnType<typeof createEngine>>;

beforeEach(async () => {
  engine = await createEngine(wasm, { maxSteps: 0 });
  made.compiled = [];
  made.live = 0;
});

function markOf(name: string): unknown {
  const point = new Point("p", 0n);
  point.setField(new Key("message"), "word");
  expect(engine.script("logging", name)!.run(point).error).toBeNull();
  return point.get(new Key("by"));
}

function load({ scripts, helpers }: InForce): void {
  expect(engine.load("logging", { ...scripts }, "default", { ...helpers }).errors.size).toBe(0);
}

it("loads what it has settled, and again what is loaded, without compiling", () => {
  const settled = engine.settle("logging", { "a.p": mark("a"), "b.p": mark("b") }, nothing);
  load(settled);
  load(settled);
  expect(made).toEqual({ compiled: ["a.p b.p"], live: 1 });
  expect([markOf("a.p"), markOf("b.p")]).toEqual(["a", "b"]);
});

it("keeps what it has settled for the files, not for the gateway or another category", () => {
  const files = { "a.p": mark("a") };
  const settled = engine.settle("logging", files, nothing);
  engine.load("logging", files, "remote");
  engine.load("metric", files);
  expect(made).toEqual({ compiled: ["a.p", "a.p", "a.p"], live: 3 });
  load(settled);
  expect(made).toEqual({ compiled: ["a.p", "a.p", "a.p"], live: 3 });
  engine.load("logging", {}, "remote");
  expect(markOf("a.p")).toBe("a");
});

it("tells the mistakes of what it has settled, each time that it is loaded", () => {
  const files = { "a.p": mark("a"), "b.p": "x = = 1" };
  expect([...engine.settle("logging", files, nothing).errors.keys()]).toEqual(["b.p"]);
  for (let time = 1; time <= 3; time++) expect([...engine.load("logging", files).errors.keys()]).toEqual(["b.p"]);
  expect(made).toEqual({ compiled: ["a.p b.p"], live: 1 });
  expect(markOf("a.p")).toBe("a");
});

it("compiles what is left when a file does not compile, and nothing when the last good version goes on", () => {
  const first = engine.settle("logging", { "a.p": mark("a"), "never.p": "x = = 1" }, nothing);
  load(first);
  expect(made).toEqual({ compiled: ["a.p never.p", "a.p"], live: 1 });
  const second = engine.settle("logging", { "a.p": "y = = 2" }, first);
  expect([...second.errors.keys()]).toEqual(["a.p"]);
  load(second);
  expect(made).toEqual({ compiled: ["a.p never.p", "a.p", "a.p", "a.p"], live: 1 });
  expect(markOf("a.p")).toBe("a");
});

it("forgets what it has settled when other files are settled, and compiles a changed helper anew", () => {
  const first = engine.settle("logging", { "a.p": 'use("h.p")', "h.p": mark("1") }, nothing);
  load(first);
  engine.settle("logging", { "a.p": 'use("h.p")', "h.p": mark("2") }, first);
  const third = engine.settle("logging", { "a.p": 'use("h.p")', "h.p": mark("3") }, first);
  expect(made.live).toBe(2);
  load(third);
  expect(made).toEqual({ compiled: ["a.p h.p", "a.p h.p", "a.p h.p"], live: 1 });
  expect(markOf("a.p")).toBe("3");
});

it("compiles anew when a file is gone whose script goes on as a helper", () => {
  const first = engine.settle("logging", { "a.p": 'use("h.p")', "h.p": mark("1") }, nothing);
  load(first);
  const second = engine.settle("logging", { "a.p": 'use("h.p")' }, first);
  load(second);
  expect([engine.scriptNames("logging"), markOf("a.p"), made.live]).toEqual([["a.p"], "1", 1]);
});

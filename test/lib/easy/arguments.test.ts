// Calls every public function with every kind of value for every argument, with swapped arguments and with wrong names.
// The function may only return a documented result, or throw a documented error or a TypeError that explains the
// mistake.

import { beforeAll, describe, expect, it } from "vitest";
import { rowsOfPoints } from "../../../lib/dql/index.ts";
import { compileCondition, compileDropRules } from "../../../lib/filter/index.ts";
import { explainMismatch, Grok, loadPatternFiles, suggestGrok } from "../../../lib/grok/index.ts";
import * as library from "../../../lib/index.ts";
import { compileScripts } from "../../../lib/pipeline/index.ts";
import { Regex } from "../../../lib/regex/index.ts";
import { createGlobalTags } from "../../../lib/sharding/index.ts";
import { wasmBytes } from "../wasm/load.ts";
import { type PublicFunction, publicFunctions, values } from "./public-functions.ts";

let mill: library.Millrace;
let functions: ReadonlyMap<string, PublicFunction>;
beforeAll(async () => {
  const wasm = await wasmBytes();
  mill = await library.createMillrace({ wasm });
  functions = publicFunctions({ mill, wasm });
});

/** Names of the errors that a function may throw for arguments of the right kind. */
const documented = [
  "PointError",
  "TooManyPoints",
  "ScriptError",
  "GrokError",
  "RegexSyntaxError",
  "CidrTableError",
  "JsonError",
];
/** Matches the message of a TypeError, such as `decodePoints: body must be a string; got 5`. */
const refusal = /^[\w.]+: .+ (?:must be|must have|must hold|both as) .*/s;

type Outcome = "returned" | "refused" | "documented" | string;

/**
 * Calls a function. Also reads one value from a returned iterator, and waits for a returned promise, because they may
 * throw an error.
 */
async function outcomeOf(call: PublicFunction["call"], given: readonly unknown[]): Promise<Outcome> {
  try {
    const result = await (call as (...given: readonly unknown[]) => unknown)(...given);
    if (isIterable(result)) for (const _ of result) break;
    return "returned";
  } catch (error) {
    if (!(error instanceof Error)) return `threw ${String(error)}`;
    const { name, message } = error;
    if (message.length > 1100) return `threw a message of ${message.length} characters`;
    if (error instanceof TypeError) return refusal.test(message) ? "refused" : `threw TypeError: ${message}`;
    return error instanceof RangeError || documented.includes(name) ? "documented" : `threw ${name}: ${message}`;
  }
}

function isIterable(value: unknown): value is Iterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.iterator in value;
}

const inherited = Object.getOwnPropertyNames(Object.prototype);

/** Returns the names of the methods of an object and its class. */
function methodsOf(object: object): string[] {
  const names = new Set<string>();
  for (let at: object | null = object; at !== null && at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(at))) {
      if (typeof value === "function" && !inherited.includes(name)) names.add(name);
    }
  }
  return [...names];
}

describe("the table of public functions", () => {
  it("names every function and class that the package exports, except errors", () => {
    const exported = Object.entries(library).filter(([name, value]) => {
      return typeof value === "function" && !/Error$|^TooManyPoints$/.test(name);
    });
    expect(exported.map(([name]) => name).filter((name) => !functions.has(name))).toEqual([]);
  });

  it("names every method of an instance and of the objects that an instance creates", () => {
    const objects: Record<string, { readonly of: object; readonly internal?: readonly string[] }> = {
      mill: { of: mill },
      decoded: { of: mill.decode("m a=1"), internal: ["keys"] },
      "decoded.at": { of: mill.decode("m a=1").at(0), internal: ["keyOf", "keys"] },
      objectScript: { of: mill.script("exit()"), internal: ["optionsFor", "pointOf"] },
      batcher: { of: mill.batcher() },
      grok: { of: mill.grok("a"), internal: ["written"] },
      regex: {
        of: mill.regex("a"),
        internal: ["scan", "search", "matchOf", "matchesOf", "spanOf", "replaceText", "replaceBytes"],
      },
    };
    const missing = Object.entries(objects).flatMap(([prefix, { of, internal = [] }]) =>
      methodsOf(of)
        .filter((name) => !internal.includes(name))
        .map((name) => `${prefix}.${name}`)
        .filter((name) => !functions.has(name)),
    );
    expect(missing).toEqual([]);
  });

  it("contains valid arguments with which every function returns", async () => {
    const failed: string[] = [];
    for (const [name, { call, arguments: args }] of functions) {
      const outcome = await outcomeOf(
        call,
        args.map(({ right }) => right),
      );
      if (outcome !== "returned") failed.push(`${name}: ${outcome}`);
    }
    expect(failed).toEqual([]);
  });
});

describe("a wrong argument", () => {
  it("is refused with a TypeError that names the argument, for each argument of each function", async () => {
    const wrong: string[] = [];
    let calls = 0;
    for (const [name, { call, arguments: args }] of functions) {
      for (const [place, argument] of args.entries()) {
        for (const [kind, value] of Object.entries(values)) {
          const given = args.map(({ right }, at) => (at === place ? value() : right));
          const outcome = await outcomeOf(call, given);
          calls++;
          const expected = argument.kinds.includes(kind) ? ["returned", "documented"] : ["refused"];
          if (!expected.includes(outcome)) wrong.push(`${name}(${argument.name} = ${kind}): ${outcome}`);
        }
      }
    }
    expect(wrong).toEqual([]);
    expect(calls).toBeGreaterThan(2000);
  });

  it("causes no undocumented error when all arguments are of one kind, swapped or absent", async () => {
    const wrong: string[] = [];
    for (const [name, { call, arguments: args }] of functions) {
      const right = args.map((argument) => argument.right);
      const tries = [...Object.values(values).map((value) => args.map(value)), [...right].reverse(), []];
      for (const given of tries) {
        const outcome = await outcomeOf(call, given);
        if (outcome.startsWith("threw")) wrong.push(`${name}(${given.map(String).join(", ")}): ${outcome}`);
      }
    }
    expect(wrong).toEqual([]);
  });
});

describe("a wrong option", () => {
  const wrongOptions: readonly (readonly [string, string, Record<string, unknown>])[] = [
    ...["decodePoints", "decode", "decodeInWindows"].flatMap((name) => [
      [name, "form", { form: "protobuf" }] as const,
      [name, "form", { form: 5 }] as const,
      [name, "category", { category: "logs" }] as const,
      [name, "category", { category: new Map() }] as const,
      [name, "precision", { precision: "seconds" }] as const,
      [name, "now", { now: Number.NaN }] as const,
      [name, "now", { now: {} }] as const,
      [name, "limits", { limits: 5 }] as const,
      [name, "limits.maxTags", { limits: { maxTags: "5" } }] as const,
      [name, "strict", { strict: "yes" }] as const,
      [name, "maxPoints", { maxPoints: -1 }] as const,
    ]),
    ["decodeInWindows", "entries", { entries: 0 }],
    ["script", "category", { category: "LOGGING" }],
    ["script", "patterns", { patterns: new Map([["A", "a"]]) }],
    ["script", "patterns", { patterns: { A: 5 } }],
    ["script", "scripts", { scripts: "drop()" }],
    ["script", "wholeNumbers", { wholeNumbers: "integer" }],
    ["script", "maxSteps", { maxSteps: Number.NaN }],
    ["lines", "as", { as: "objects" }],
    ["lines", "maxLineBytes", { maxLineBytes: 0 }],
    ["lines", "longLines", { longLines: "drop" }],
    ["lines", "ahead", { ahead: 1.5 }],
    ["compile", "runsIn", { runsIn: "agents" }],
    ["compile", "probes", { probes: 1 }],
    ["encode", "as", { as: "string" }],
    ["encode", "precision", { precision: "x" }],
    ["encodePoints", "keepLines", { keepLines: 1 }],
    ["encodePoints", "from", { from: -1 }],
    ["encodeBatches", "maxBytes", { maxBytes: "1" }],
    ["encodeBatches", "written", { written: 1 }],
    ["columnChunks", "rows", { rows: 33, arrayText: String }],
    ["columnChunks", "arrayText", { rows: 32 }],
    ["run", "maxSteps", { maxSteps: "many" }],
    ["run", "deadlineMs", { deadlineMs: Number.NaN }],
    ["run", "signal", { signal: 1 }],
    ["run", "budget", { budget: 1 }],
    ["run", "probe", { probe: {} }],
    ["grok", "patterns", { patterns: ["a"] }],
  ];

  it.each(wrongOptions)("of %s is named in the error: %s", (name, option, given) => {
    const { call, arguments: args } = functions.get(`mill.${name}`)!;
    const withOption = args.map((argument) => (argument.name === "options" ? given : argument.right));
    expect(() => (call as (...given: unknown[]) => unknown)(...withOption)).toThrow(
      new RegExp(`^${name}: ${option.replace(".", "\\.")}\\S* must be .*; got `),
    );
  });

  it.each(["clock", "random", "fetch", "geoip", "referTables", "warn", "generateCode", "timeZone"])(
    "of createMillrace is named in the error: %s",
    async (option) => {
      await expect(library.createMillrace({ [option]: "Nowhere/Town" })).rejects.toThrow(
        new RegExp(`^createMillrace: ${option} must be .*; got "Nowhere/Town"`),
      );
    },
  );
});

it("createMillrace names the option wasm in the error for a wrong value", async () => {
  for (const wasm of [5, "", {}, null])
    await expect(library.createMillrace({ wasm: wasm as never })).rejects.toThrow(
      /^createMillrace: wasm must be .*; got /,
    );
});

describe("an option that does not exist", () => {
  /**
   * Calls one of the public functions with the given options. Returns the message of the TypeError that it throws; ""
   * when it returns.
   */
  const messageFor = async (name: string, options: Record<string, unknown>): Promise<string> => {
    const { call, arguments: args } = functions.get(name)!;
    const given = args.map(({ name: argument, right }) =>
      /^(options|limits)$/.test(argument) ? { ...(right as object), ...options } : right,
    );
    try {
      const result = await (call as (...given: readonly unknown[]) => unknown)(...given);
      if (isIterable(result)) for (const _ of result) break;
      return "";
    } catch (error) {
      return error instanceof TypeError ? error.message : String(error);
    }
  };

  const takingOptions = (): string[] =>
    [...functions].flatMap(([name, { arguments: args }]) =>
      args.some((argument) => /^(options|limits)$/.test(argument.name)) ? [name] : [],
    );

  it("is refused by every function that takes options, and the error suggests the nearest valid name", async () => {
    const wrong: string[] = [];
    const names = takingOptions();
    let options = 0;
    for (const name of names) {
      const own = name.split(".").at(-1)!;
      const message = await messageFor(name, { zzzzzz: undefined });
      const [, list] = /^\w+: (?:options|limits) must have no members but (.+); got "zzzzzz"$/.exec(message) ?? [];
      if (list === undefined || !message.startsWith(`${own}: `)) wrong.push(`${name}: ${message}`);
      for (const [, right] of (list ?? "").matchAll(/"(\w+)"/g)) {
        options++;
        const misspelled = `${right!}s`.toUpperCase();
        const answer = await messageFor(name, { [misspelled]: 1 });
        if (!answer.endsWith(`got "${misspelled}". Did you mean "${right!}"?`)) wrong.push(`${name}: ${answer}`);
      }
    }
    expect(wrong).toEqual([]);
    expect(names.length).toBeGreaterThan(25);
    expect(options).toBeGreaterThan(114);
  });

  it("is refused in the options and the limits of a decoder, and the error suggests the valid name", () => {
    expect(() => mill.decode("m a=1", { froms: "lp" } as never)).toThrow(
      /^decode: .*got "froms". Did you mean "form"\?$/,
    );
    expect(() => mill.decode("m a=1", { limits: { maxTag: 1 } as never })).toThrow(
      /^decode: limits must have no members but .*; got "maxTag". Did you mean "maxTags"\?$/,
    );
  });

  it.each<[string, (options: never) => unknown]>([
    ["compileScripts", (options) => compileScripts({}, options)],
    ["compileCondition", (options) => compileCondition("{ a = 1 }", options)],
    ["compileDropRules", (options) => compileDropRules({}, options)],
    ["createGlobalTags", (options) => createGlobalTags([], options)],
    ["suggestGrok", (options) => suggestGrok(["a 1"], options)],
    ["explainMismatch", (options) => explainMismatch("%{INT:a}", "b", options)],
    ["loadPatternFiles", (options) => loadPatternFiles({}, options)],
    ["grok", (options) => Grok.compile("a", options)],
    ["regex", (options) => Regex.compile("a", "", options)],
    ["rowsOfPoints", (options) => rowsOfPoints([], options)],
  ])("is refused by functions of the package's sub-paths: %s", (name, call) => {
    expect(() => call({} as never)).not.toThrow();
    expect(() => call({ wrong: 1 } as never)).toThrow(
      new RegExp(`^${name}: options must have no members but .*"wrong"`),
    );
  });

  it("is ignored when the options object inherits it from a prototype", () => {
    const inherited = Object.create({ wrong: 1, form: "lp" }) as object;
    expect(mill.decode("m a=1", inherited).length).toBe(1);
  });

  it("is refused on every call, also after valid options were cached", () => {
    const point = new library.Point("m", 1n);
    const script = mill.compile({ "a.p": "add_key(b, 1)" }).scripts.get("a.p")!;
    const run: { category: "logging"; maxStep?: number } = { category: "logging" };
    mill.run(script, point, run);
    mill.run(script, point, run);
    run.maxStep = 1;
    for (let i = 0; i < 2; i++) expect(() => mill.run(script, point, run)).toThrow('Did you mean "maxSteps"?');
    const decode: Record<string, unknown> = { form: "lp", now: 1n };
    mill.decode("m a=1", decode).release();
    mill.decode("m a=1", { ...decode, now: 2n }).release();
    for (const wrong of [{ form: "pbx" }, { now: 1n << 64n }, { now: "no" }, { froms: 1 }]) {
      expect(() => mill.decode("m a=1", { ...decode, ...wrong } as never), Object.keys(wrong)[0]).toThrow(TypeError);
    }
  });

  it.each<[string, Record<string, unknown>, unknown]>([
    ["a wrong name in place of an absent one", { category: "logging", now: 1n }, { category: "logging", froms: 1 }],
    [
      "a wrong name beside an undefined option",
      { category: "logging", form: undefined },
      { category: "logging", a: 1 },
    ],
    ["a wrong name in place of an undefined option", { form: undefined }, { froms: "lp" }],
    ["an array after no options", {}, []],
    ["a Map after no options", {}, new Map()],
    ["null after no options", {}, null],
    ["a number after no options", {}, 5],
    [
      "an instance whose getter hides a wrong name",
      { category: "logging" },
      new (class {
        froms = 1;
        get category() {
          return "logging";
        }
      })(),
    ],
  ])("is refused after a call with the same number of valid options: %s", (_, right, wrong) => {
    const script = mill.compile({ "a.p": "drop()" }).scripts.get("a.p")!;
    const { now, form, ...runRight } = right;
    for (let i = 0; i < 3; i++) {
      mill.decode("m a=1", right).release();
      expect(() => mill.decode("m a=1", wrong as never)).toThrow(/^decode: options must /);
      mill.run(script, new library.Point("m", 1n), runRight);
      expect(() => mill.run(script, new library.Point("m", 1n), wrong as never)).toThrow(/^run: options must /);
    }
  });

  it("valid options that can change between calls are read again on each call", () => {
    const limits = { maxFields: 1 };
    expect(mill.decode("m a=1,b=2", { limits }).at(0).toObject().fields).toEqual({ a: 1 });
    limits.maxFields = 2;
    expect(mill.decode("m a=1,b=2", { limits }).at(0).toObject().fields).toEqual({ a: 1, b: 2 });
    class Options {
      get category() {
        return "logging" as const;
      }
    }
    mill.decode("m a=1", {}).release();
    expect(mill.decode("m a=1", new Options()).at(0).get("status")).toBe("unknown");
  });
});

describe("the suggested name", () => {
  it.each([
    ["protobuf", "pb"],
    ["LP", "lp"],
    ["line-protocol", "lp"],
    ["jsno", "json"],
  ])("for the form %s is %s", (form, near) => {
    expect(() => mill.decode("m a=1", { form: form as never })).toThrow(
      `decode: form must be one of "lp", "json", "pbjson", "pb"; got "${form}". Did you mean "${near}"?`,
    );
  });

  it.each([
    ["logs", "logging"],
    ["L", "logging"],
    ["metrics", "metric"],
    ["Metric", "metric"],
    ["loging", "logging"],
  ])("for the category %s is %s", (category, near) => {
    expect(() => mill.decode("m a=1", { category: category as never })).toThrow(`Did you mean "${near}"?`);
  });

  it("is left out when no name is similar, and a message never repeats a long argument", () => {
    expect(() => mill.decode("m a=1", { form: "x".repeat(1e6) as never })).toThrow(/^.{1,300}$/s);
    expect(() => mill.decode("m a=1", { form: "xyz" as never })).toThrow(/got "xyz"$/);
  });
});

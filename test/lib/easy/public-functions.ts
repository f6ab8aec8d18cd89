// The public functions of the package, each with valid arguments and with the kinds of values that each argument
// accepts. arguments.test.ts calls all functions with every other kind.

import * as library from "../../../lib/index.ts";

/** One value of each kind. The tests in arguments.test.ts pass each of these values for every argument. */
export const values: Readonly<Record<string, () => unknown>> = {
  undefined: () => undefined,
  null: () => null,
  number: () => 5,
  fraction: () => 1.5,
  negative: () => -1,
  NaN: () => Number.NaN,
  bigint: () => 5n,
  boolean: () => true,
  string: () => "nonsense",
  "empty string": () => "",
  array: () => [],
  "array of numbers": () => [1, 2],
  "array of null": () => [null],
  object: () => ({}),
  "object of numbers": () => ({ a: 1 }),
  Map: () => new Map([["a", 1]]),
  Date: () => new Date(0),
  "invalid Date": () => new Date(Number.NaN),
  bytes: () => new Uint8Array([109, 32, 97, 61, 49]),
  buffer: () => new Uint8Array([109, 32, 97, 61, 49]).buffer,
  "typed array": () => new Float64Array(2),
  instance: () => new (class Wrong {})(),
  function: () => () => 1,
  symbol: () => Symbol("wrong"),
};

/**
 * For each sort of argument, a list with the names of the kinds of values that a function may accept for it. For
 * example, `count` is the list for an argument that is a number.
 */
const text = ["string", "empty string"];
const body = [...text, "bytes", "buffer"];
const count = ["undefined", "number"];
const optional = ["undefined"];
/** Kinds of values accepted for options: none, an empty plain object, or an instance of a class without members. */
const options = ["undefined", "object", "instance"];
const numbers = ["number", "bigint"];
const fieldValues = [
  ...["null", "number", "fraction", "negative", "bigint", "boolean", "string", "empty string"],
  ...["array", "array of numbers", "bytes"],
];
const anything = Object.keys(values);

/**
 * An argument: its name, a valid value (`right`), and the kinds of values that are also valid (`kinds`, names of
 * members of `values`).
 */
export interface Argument {
  readonly name: string;
  readonly right: unknown;
  readonly kinds: readonly string[];
}

export interface PublicFunction {
  readonly call: (...given: never[]) => unknown;
  readonly arguments: readonly Argument[];
}

const arg = (name: string, right: unknown, kinds: readonly string[] = []): Argument => ({ name, right, kinds });

export interface Subjects {
  readonly mill: library.Millrace;
  readonly wasm: ArrayBuffer;
}

type Call = (...given: never[]) => unknown;

/** Returns the public functions by name. Each call of a function gets arguments and objects of its own. */
export function publicFunctions({ mill, wasm }: Subjects): ReadonlyMap<string, PublicFunction> {
  const functions = new Map<string, PublicFunction>();
  const add = (name: string, call: Call, ...args: Argument[]): void => {
    functions.set(name, { call, arguments: args });
  };
  const object = <T extends object>(prefix: string, make: () => T, methods: Readonly<Record<string, Argument[]>>) => {
    for (const [name, args] of Object.entries(methods)) {
      add(`${prefix}.${name}`, (...given) => (make() as Record<string, Call>)[name]!(...given), ...args);
    }
  };
  addModule(add, wasm);
  addInstance(object, mill);
  addObjects(object, mill);
  return functions;
}

const line = "m,t=x a=1 1000";
const key = () => new library.Key("a");
const pointAt = (): library.Point => {
  const point = new library.Point("m", 1n);
  point.setField(key(), new library.Float(1));
  return point;
};

function scriptOf(mill: library.Millrace): library.Script {
  return mill.compile({ "a.p": "add_key(b, 1)" }).scripts.get("a.p")!;
}

type Add = (name: string, call: Call, ...args: Argument[]) => void;
type AddObject = <T extends object>(
  prefix: string,
  make: () => T,
  methods: Readonly<Record<string, Argument[]>>,
) => void;

const exported: Readonly<Record<string, unknown>> = { ...library };

/** The functions and constructors that the package exports. */
function addModule(add: Add, wasm: ArrayBuffer): void {
  const facts = { functions: library.functionDocs(), keys: new Map(), scripts: [], patterns: library.grokDefinitions };
  const [doc] = library.functionDocs();
  const direct = (name: keyof typeof library, ...args: Argument[]): void => {
    add(name, exported[name] as Call, ...args);
  };
  const made = (name: keyof typeof library, ...args: Argument[]): void => {
    const Class = exported[name] as new (...given: unknown[]) => unknown;
    add(name, (...given) => new Class(...given), ...args);
  };
  direct("createMillrace", arg("options", { wasm }, options));
  direct("functionDocs");
  direct("functionReference", arg("docs", library.functionDocs(), ["array"]));
  direct("functionText", arg("doc", doc));
  direct("signature", arg("doc", doc));
  direct("completions", arg("script", "gr", text), arg("at", 2, ["number"]), arg("facts", facts));
  direct("hover", arg("script", "grok()", text), arg("at", 2, ["number"]), arg("facts", facts));
  direct("hoverText", arg("subject", { kind: "pattern", name: "A", definition: "a" }));
  direct("scriptEnvironment", arg("before", "gr", text));
  direct("rangeAt", arg("text", "grok()", text), arg("codePoints", 1, ["number", "negative"]));
  direct("format", arg("text", "grok()", text), arg("file", "a.p", [...text, ...optional]));
  direct("tokenize", arg("text", "grok()", text));
  direct("plErrorText", arg("error", { pos_chain: [], error: "x" }));
  direct("cidrLookup", arg("rows", [{ cidr: "10.0.0.0/8" }], ["array"]));
  direct("parseCidrTable", arg("text", "10.0.0.0/8,IT", text));
  const records = [
    "null",
    "undefined",
    "object",
    "object of numbers",
    "instance",
    "Map",
    ...["bytes", "buffer", "typed array"],
  ];
  direct("mmdbPlace", arg("placeRecord", {}, records), arg("providerRecord", {}, records));
  direct(
    "createProfile",
    arg("now", () => 1, ["function"]),
  );
  direct("createCoverage");
  direct("createTrace", arg("maxSteps", 5, count));
  direct("categoryAlias", arg("name", "logging"));
  direct("categoryOf", arg("text", "L", text));
  const snapshot = () => library.snapshotOf(pointAt());
  direct("snapshotOf", arg("point", pointAt()));
  direct("changesBetween", arg("before", snapshot()), arg("after", snapshot()));
  const pointValues = ["null", "number", "negative", "bigint", "boolean", ...text, "bytes"];
  direct("shownValue", arg("value", 1, pointValues));
  direct("kindOf", arg("value", 1, pointValues));
  direct("isBytes", arg("value", "x", anything));
  direct(
    "correct",
    arg("point", pointAt()),
    arg("category", "metric"),
    arg("limits", library.defaultLimits, options),
    arg("receivedEntries", "field", optional),
  );
  direct("pointDifference", arg("a", pointAt()), arg("b", pointAt()), arg("options", {}, options));
  direct("seriesId", arg("point", pointAt()), arg("options", {}, options));
  direct("parseReferTables", arg("body", "[]", body), arg("options", {}, options));
  direct("readReferTables", arg("sink", library.memorySink()));
  direct("memorySink", arg("options", {}, options));
  made("Key", arg("text", "a", text));
  made("Point", arg("name", "m", text), arg("time", 1n, ["bigint"]));
  made("Float", arg("value", 1, ["number", "fraction", "negative", "NaN"]));
  made("Uint", arg("value", 1, numbers));
  made("PointArray", arg("elements", [1], ["array", "array of numbers", "array of null"]));
  made("ReferTables", arg("data", [], ["array"]));
  add("Point.copyOf", (other) => library.Point.copyOf(other), arg("other", pointAt()));
}

/** The methods of a Millrace instance. */
function addInstance(object: AddObject, mill: library.Millrace): void {
  const script = scriptOf(mill);
  const batch = () => mill.decodePoints(line);
  const encodable = ["array"];
  const forms = optional;
  const sink = arg("sink", () => {}, ["function"]);
  const scripts = arg("scripts", { "a.p": "drop()" }, ["object"]);
  const columns = { rows: 32, arrayText: String };
  object("mill", () => mill, {
    decodePoints: [arg("body", line, body), arg("options", {}, options)],
    decodeInWindows: [arg("body", line, body), arg("options", {}, options)],
    decode: [arg("body", line, body), arg("options", {}, options)],
    encodePoints: [arg("points", batch(), encodable), arg("form", "lp", forms), arg("options", {}, options)],
    encodeTo: [arg("points", batch(), encodable), arg("form", "lp", forms), sink, arg("options", {}, options)],
    encodeBatches: [arg("points", batch(), encodable), arg("form", "lp", forms), arg("options", {}, options)],
    encode: [
      arg("points", [{ fields: { a: 1 } }], ["array", "Map without points"]),
      arg("form", "lp", forms),
      arg("options", {}, options),
    ],
    batcher: [arg("form", "lp", forms), arg("options", {}, options)],
    columnsUsed: [arg("points", batch(), encodable)],
    columnChunks: [arg("points", batch(), encodable), arg("options", columns)],
    compile: [scripts, arg("options", {}, options)],
    diagnose: [scripts, arg("options", {}, options)],
    run: [arg("script", script), arg("point", pointAt()), arg("options", {}, options)],
    runAll: [
      arg("script", script),
      arg("points", batch()),
      arg("options", {}, options),
      arg("take", () => {}, ["function"]),
    ],
    runWaiting: [arg("script", script), arg("point", pointAt()), arg("options", {}, options)],
    script: [arg("text", "drop()", text), arg("options", {}, options)],
    lines: [arg("script", mill.script("drop()")), arg("options", {}, options)],
    regex: [arg("source", "a", text), arg("flags", "i", [...text, ...optional])],
    grok: [arg("expression", "%{IP:a}", text), arg("options", {}, options)],
    memory: [],
  });
}

/** The methods of the objects that a Millrace instance returns. */
function addObjects(object: AddObject, mill: library.Millrace): void {
  const keyOf = arg("key", key());
  const nameOf = arg("key", "a", text);
  const pointValues = ["null", "number", "negative", "bigint", "boolean", ...text, "bytes"];
  const view = {
    has: [keyOf],
    isTag: [keyOf],
    get: [keyOf],
    setField: [keyOf, arg("value", 1, pointValues)],
    setTag: [keyOf, arg("value", "x", text)],
    delete: [keyOf],
    rename: [keyOf, arg("to", new library.Key("b"))],
    entries: [],
  };
  object("point", pointAt, { ...view, traits: [arg("key", "a", anything)] });
  object("batch.at", () => mill.decodePoints(line).at(0), { ...view, textInPlace: [keyOf] });
  const index = arg("index", 0, ["number", "negative"]);
  object("batch", () => mill.decodePoints(line), {
    at: [index],
    point: [index],
    select: [arg("indexes", [0], ["array", "array of numbers"])],
    addTag: [keyOf, arg("value", "x", text)],
    withField: [],
    warnings: [index],
    correct: [index],
    release: [],
  });
  const objectOptions = arg("options", {}, options);
  object("decoded", () => mill.decode(line), {
    at: [index],
    toObjects: [objectOptions],
    toJSON: [],
    release: [],
  });
  object("decoded.at", () => mill.decode(line).at(0), {
    has: [nameOf],
    isTag: [nameOf],
    get: [nameOf],
    setField: [nameOf, arg("value", 1, fieldValues)],
    setTag: [nameOf, arg("value", "x", text)],
    delete: [nameOf],
    rename: [nameOf, arg("to", "b", text)],
    toObject: [objectOptions],
    toJSON: [],
  });
  const fields = [...text, "object", "object of numbers"];
  object("objectScript", () => mill.script("exit()"), {
    run: [arg("point", { a: 1 }, fields)],
    runWaiting: [arg("point", { a: 1 }, fields)],
    runPoint: [arg("point", { a: 1 }, fields)],
    free: [],
  });
  const host = { category: "metric", host: { now: () => 1n, random: () => 0, timeZone: "UTC" } };
  object("script", () => scriptOf(mill), {
    run: [arg("point", pointAt()), arg("options", host)],
    runAll: [arg("points", mill.decodePoints(line)), arg("options", host), arg("take", () => {}, ["function"])],
    runWaiting: [arg("point", pointAt()), arg("options", host)],
    takeAggregated: [arg("now", 1n, ["bigint"])],
    close: [arg("now", 1n, ["bigint"])],
    inherit: [arg("previous", scriptOf(mill))],
    counters: [],
  });
  addMatchers(object, mill);
  object("batcher", () => mill.batcher(), {
    add: [arg("points", mill.decodePoints(line), ["array"])],
    end: [],
    each: [arg("points", mill.decodePoints(line), ["array", "undefined"]), arg("take", () => {}, ["function"])],
  });
  object("referTables", () => new library.ReferTables([]), {
    find: [
      arg("table", "t", text),
      arg("columns", ["a"], ["array", "array of numbers", "array of null"]),
      arg("values", [1], ["array", "array of numbers", "array of null"]),
    ],
  });
  object("referDocument", () => library.readReferTables(library.memorySink()), {
    push: [arg("piece", "[]", body)],
  });
}

function addMatchers(object: AddObject, mill: library.Millrace): void {
  const input = arg("input", "a", body);
  object("regex", () => mill.regex("a"), {
    test: [input],
    find: [input, arg("from", 0, ["undefined", "number", "negative"])],
    findAll: [input],
    matches: [input],
    replace: [input, arg("template", "b", text), arg("count", () => {}, ["undefined", "function"])],
    free: [],
  });
  const bytes = new Uint8Array([97]);
  const lines = new Uint32Array([0, 1]);
  const grok = () => mill.grok("%{WORD:a}");
  const captures = grok().matchBatch(bytes, lines);
  object("grok", grok, {
    match: [input, arg("options", {}, options)],
    each: [arg("input", "a", text), arg("trim", true, ["boolean"]), arg("write", () => {}, ["function"])],
    matchBytes: [arg("bytes", bytes, ["bytes"]), arg("trim", true, ["boolean"])],
    matchBatch: [arg("bytes", bytes, ["bytes"]), arg("lines", lines), arg("options", {}, options)],
    valueAt: [
      arg("bytes", bytes, ["bytes"]),
      arg("captures", captures),
      arg("line", 0, ["number", "negative"]),
      arg("field", 0, ["number", "negative"]),
    ],
    explain: [input],
    captureGroups: [],
    free: [],
  });
}

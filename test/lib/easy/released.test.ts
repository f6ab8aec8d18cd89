// Every public member of points that were released throws an error. The test fails when the lists in this file lack a
// member.

import { beforeAll, describe, expect, it } from "vitest";
import { createMillrace, Key, type Millrace } from "../../../lib/index.ts";
import { wasmBytes } from "../wasm/load.ts";

let mill: Millrace;
beforeAll(async () => {
  mill = await createMillrace({ wasm: await wasmBytes() });
});

interface Released {
  readonly make: () => { readonly object: object; release(): void };
  /**
   * For each public method, a function that makes arguments for a call. For each property, a function that makes a new
   * value.
   */
  readonly members: Readonly<Record<string | symbol, () => readonly unknown[]>>;
  /**
   * Names of members that do not throw after the points were released: members that only the library itself uses, and
   * members that stay valid.
   */
  readonly others: readonly (string | symbol)[];
}

const body = "cpu,host=a load=0.5 1700000000";
/**
 * Makes a `Key` (the object by which a program reads a tag or field of points) that was never used with a batch. So the
 * tested member must look up the position of the key in the batch.
 */
const newKey = () => new Key("host");

const view: Released["members"] = {
  name: () => ["b"],
  time: () => [1n],
  warnings: () => [],
  has: () => [newKey()],
  isTag: () => [newKey()],
  get: () => [newKey()],
  textInPlace: () => [newKey()],
  setField: () => [newKey(), "x"],
  setTag: () => [newKey(), "x"],
  delete: () => [newKey()],
  rename: () => [newKey(), new Key("b")],
  entries: () => [],
  traits: () => ["host"],
};

const kinds: Readonly<Record<string, Released>> = {
  "a batch": {
    make: () => {
      const batch = mill.decodePoints(body);
      return { object: batch, release: () => batch.release() };
    },
    members: {
      length: () => [],
      at: () => [0],
      [Symbol.iterator]: () => [],
      point: () => [0],
      select: () => [[]],
      addTag: () => [newKey(), "x"],
      withField: () => [],
      warnings: () => [0],
      correct: () => [0],
    },
    others: [
      ...[
        "constructor",
        "release",
        "noPoint",
        "nextFieldless",
        "requireLive",
        "head",
        "pointAt",
        "entryAt",
        "setWarnings",
      ],
      ...["layWarnings", "writeWarnings", "writeTraits", "readTraits", "add", "replace", "resolve", "intern", "idOf"],
      ...["lend", "keyText", "decode", "decodeLines", "isSliced", "isAscii", "bytes", "write", "take", "placeLiteral"],
      ...["writeText", "giveBack", "pushEntry"],
    ],
  },
  "a point of a batch": {
    make: () => {
      const batch = mill.decodePoints(body);
      return { object: batch.at(0), release: () => batch.release() };
    },
    members: view,
    others: [
      ...["constructor", "moveTo", "forget", "setTraits", "list", "rewrite", "forgetLine", "here", "idOf", "find"],
      ...["open", "mark", "unmark", "marked", "at", "place", "put", "append"],
    ],
  },
  "a point of a batch that was used before": {
    make: () => {
      const batch = mill.decodePoints(body);
      const point = batch.at(0);
      for (const { key } of point.entries()) point.get(new Key(key));
      return { object: point, release: () => batch.release() };
    },
    members: view,
    others: [
      ...["constructor", "moveTo", "forget", "setTraits", "list", "rewrite", "forgetLine", "here", "idOf", "find"],
      ...["open", "mark", "unmark", "marked", "at", "place", "put", "append"],
    ],
  },
  "a selection": {
    make: () => {
      const batch = mill.decodePoints(body);
      return { object: batch.select([]), release: () => batch.release() };
    },
    members: { length: () => [], at: () => [0], select: () => [[]], [Symbol.iterator]: () => [] },
    others: ["constructor", "runs"],
  },
  "decoded points": {
    make: () => {
      const points = mill.decode(body);
      return { object: points, release: () => points.release() };
    },
    members: {
      length: () => [],
      at: () => [0],
      toObjects: () => [],
      toJSON: () => [],
      [Symbol.iterator]: () => [],
    },
    others: ["constructor", "release"],
  },
  "a decoded point": {
    make: () => {
      const points = mill.decode(body);
      return { object: points.at(0), release: () => points.release() };
    },
    members: {
      view: () => [],
      name: () => ["b"],
      time: () => [new Date()],
      nanoseconds: () => [],
      warnings: () => [],
      has: () => ["host"],
      isTag: () => ["host"],
      get: () => ["host"],
      setField: () => ["load", 1],
      setTag: () => ["host", "b"],
      delete: () => ["host"],
      rename: () => ["host", "b"],
      toObject: () => [],
      toJSON: () => [],
    },
    others: ["constructor", "keyOf"],
  },
};

const inspectSymbol = Symbol.for("nodejs.util.inspect.custom");
/**
 * Members that every kind of object may have after release: `Symbol.dispose`, which does the same as `release`, and the
 * function for the output of console.log.
 */
const always: readonly (string | symbol)[] = [Symbol.dispose ?? Symbol.for("Symbol.dispose"), inspectSymbol];

/**
 * Returns functions that use a member: call the method, or get and set the property. A returned iterator is read to its
 * end.
 */
function usesOf(object: object, name: string | symbol, given: readonly unknown[]): (() => unknown)[] {
  const { value, get, set } = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(object), name)!;
  const used = (result: unknown) =>
    typeof result === "object" && result !== null && Symbol.iterator in result
      ? [...(result as Iterable<unknown>)]
      : result;
  if (value !== undefined)
    return [() => used((value as (...given: readonly unknown[]) => unknown).apply(object, [...given]))];
  const uses: (() => unknown)[] = [];
  if (get !== undefined) uses.push(() => get.call(object));
  if (set !== undefined) uses.push(() => set.call(object, given[0]));
  return uses;
}

describe.each(Object.entries(kinds))("%s", (_, { make, members, others }) => {
  it("has only members that this test lists", () => {
    const { object, release } = make();
    const names = Reflect.ownKeys(Object.getPrototypeOf(object) as object);
    const listed = [...Reflect.ownKeys(members), ...others, ...always];
    expect(names.filter((name) => !listed.includes(name))).toEqual([]);
    release();
  });

  it.each(Reflect.ownKeys(members).map((name) => [String(name), name] as const))(
    "throws for %s after the release",
    (_, name) => {
      const { object, release } = make();
      const before = members[name]!();
      for (const use of usesOf(object, name, before)) expect(use).not.toThrow("released");
      release();
      // A `Key` (the object by which a program reads a tag or field of points) that was used before has stored its
      // position in the batch. A new one has not.
      for (const given of [before, members[name]!()])
        for (const use of usesOf(object, name, given)) expect(use).toThrow("the batch has been released");
    },
  );
});

describe("a method of an instance", () => {
  const script = () => mill.compile({ "a.p": "drop()" }).scripts.get("a.p")!;

  it.each<[string, () => unknown]>([
    ["encodePoints", () => mill.encodePoints(released())],
    ["encodePoints of a selection", () => mill.encodePoints(selected())],
    ["encodePoints of points", () => mill.encodePoints([point()])],
    ["encode", () => mill.encode(released())],
    ["encodeTo", () => mill.encodeTo(released(), "pb", () => {})],
    ["encodeBatches", () => [...mill.encodeBatches(released())]],
    ["batcher", () => mill.batcher().add(released())],
    ["columnsUsed", () => mill.columnsUsed(released())],
    ["columnChunks", () => [...mill.columnChunks(released(), { rows: 32, arrayText: String })]],
    ["run", () => mill.run(script(), point())],
    ["runAll", () => mill.runAll(script(), released(), undefined, () => {})],
    ["run of a script of objects", () => mill.script("drop()").run(decodedPoint())],
  ])("throws for released points: %s", (_, use) => {
    expect(use).toThrow("the batch has been released");
  });
});

function released() {
  const batch = mill.decodePoints(body);
  batch.release();
  return batch;
}

function selected() {
  const batch = mill.decodePoints(body);
  const selection = batch.select([0]);
  batch.release();
  return selection;
}

function decodedPoint() {
  const points = mill.decode(body);
  const point = points.at(0);
  points.release();
  return point;
}

function point() {
  const batch = mill.decodePoints(body);
  const point = batch.at(0);
  batch.release();
  return point;
}

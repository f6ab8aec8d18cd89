// Scripts run over decoded points in WebAssembly memory (a "tape"), where the module does much of the work, and over
// the same points in JavaScript. Both runs must give equal tags and fields in the same order, times, errors and steps.

import { describe, expect, it } from "vitest";
import {
  createMillrace,
  type Millrace,
  Point,
  type PointView,
  type Script,
  shownValue,
} from "../../../../lib/index.ts";
import { wasmBytes } from "../../wasm/load.ts";

const now = 1700000000000000000n;
const mill: Millrace = await createMillrace({ wasm: await wasmBytes(), timeZone: "Europe/Berlin", clock: () => now });
const category = "logging";

function compile(text: string): Script {
  const { scripts, errors } = mill.compile({ "a.p": text }, { category });
  expect([...errors]).toEqual([]);
  return scripts.get("a.p")!;
}

function decode(lines: string) {
  return mill.decodePoints(new TextEncoder().encode(lines), { category, form: "lp", precision: "n", now });
}

function shown(point: PointView): string[] {
  const entries = Array.from(
    point.entries(),
    ({ key, value, isTag }) => `${isTag ? "tag " : ""}${key}=${shownValue(value)}`,
  );
  return [point.name, String(point.time), ...entries];
}

/** Runs a script over a point and returns the result with the number of steps. */
function outcome(script: Script, point: PointView, maxSteps: number) {
  const budget = { limit: 1_000_000, used: 0 };
  const { error, dropped } = mill.run(script, point, { category, maxSteps, budget });
  return { point: shown(point), error: error?.error ?? null, dropped, steps: budget.used };
}

function same(script: Script, lines: string, maxSteps = 100_000): void {
  const batch = decode(lines);
  for (let index = 0; index < batch.length; index++) {
    const inJavaScript = Point.copyOf(batch.at(index));
    expect(outcome(script, batch.at(index), maxSteps)).toEqual(outcome(script, inJavaScript, maxSteps));
  }
  batch.release();
}

/** Returns a function that picks random items; the seed decides which ones. */
function seeded(seed: number): <T>(from: readonly T[]) => T {
  let state = seed;
  return (from) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return from[Math.floor((state / 4294967296) * from.length)]!;
  };
}

const keys = ["a", "b", "c", "message", "status", "time", "t"];
const allTexts = [
  ...[
    "",
    "-",
    "x",
    "0",
    "7",
    "-7",
    "+7",
    "007",
    "12.50",
    "-0",
    "1e3",
    "0x1f",
    "1_000",
    "true",
    "T",
    "False",
    "é",
    "  x ",
    "\u3000y\u00a0",
  ],
  ...["123456789012345678", "9223372036854775807", "9223372036854775808", "999999999999999999", "-999999999999999999"],
  ...["OK", "ok", "Warn", "WARNING", "e", "E", "X", "trace", "Verbose", "ÄB", "a".repeat(200), "Some-Status"],
  ...[
    "10/Oct/2000:13:55:36 -0700",
    "31/Feb/2000:13:55:36 -0700",
    "29/feb/2024:00:00:00 +1400",
    "10/Oct/2000:24:55:36 -0700",
  ],
  ...[
    "10/Oct/2000:13:55:36 +1401",
    "10/0ct/2000:13:55:36 -0700",
    "01/Jan/1969:00:00:01 +0000",
    "01/Jan/9999:00:00:01 +0000",
  ],
  ...[
    "2024-02-29T23:59:59.5Z",
    "2024/03/31 02:30:00",
    "2024-10-27 02:30:00,123456789",
    "2023-02-29 00:00:00",
    "2024-02-29T23:59:59+05:30",
  ],
  ...[
    "1700000000",
    "1700000000123",
    "1700000000123456",
    "1700000000123456789",
    "9999999999",
    "17000000001",
    "170000000x",
  ],
  ...[
    '{"a":"x","b":null,"status":"WARN"}',
    '{"a":{"t":1,"b":["é"]},"b":-1.5,"b":true,"status":null}',
    '{"a":{"t":"\\"T"}}',
  ],
  ...['say "hi"', "back\\slash", 'a\\"b', "k=v l=w", "a=1 b=2 a=3", " =x a= b==", "a:1;b:2", "a=[1] b=(2)"],
];
/** The strings that the random script uses. They are few, so that different statements often use the same string. */
let texts: readonly string[] = allTexts;
const quoted = (text: string) => `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
const escapedTag = (text: string) => text.replaceAll("\\", "").replace(/[, =]/g, "\\$&");

const statements: readonly ((pick: ReturnType<typeof seeded>) => string)[] = [
  (pick) => `cast(${pick(keys)}, ${quoted(pick(["int", "float", "str", "bool"]))})`,
  (pick) => `nullif(${pick(keys)}, ${quoted(pick(texts))})`,
  (pick) => `nullif(${pick(keys)}, ${pick(["7", "nil", "1.5", "true"])})`,
  (pick) =>
    `group_between(${pick(keys)}, [${pick(["0", "-5", "7"])}, ${pick(["7", "100.5"])}], ${quoted(pick(texts))}, ${pick(keys)})`,
  (pick) => `group_between(${pick(keys)}, [0, 100], ${pick(["1", "nil", "b"])})`,
  (pick) =>
    `group_in(${pick(keys)}, [${quoted(pick(texts))}, ${quoted(pick(texts))}], ${quoted(pick(texts))}, ${pick(keys)})`,
  (pick) => `add_key(${pick(keys)}, ${quoted(pick(texts))})`,
  (pick) => `add_key(${pick(keys)}, ${pick(keys)})`,
  (pick) => `add_key(${pick(keys)}, ${pick(["nil", "5", "-9007199254740993", "true", "1.5"])})`,
  (pick) => {
    const member = () => `add_key(${pick(keys)}, x["${pick(["a", "b", "status", "none"])}"]${pick(["", "", '["t"]'])})`;
    const body = `${member()}\n${member()}\n${member()}`;
    return `x = load_json(${pick(keys)})\nif value_type(x) == "map" {\n${body}\n}`;
  },
  (pick) => `set_tag(${pick(keys)}, ${quoted(pick(texts))})`,
  (pick) => `set_tag(${pick(keys)})`,
  (pick) => `drop_key(${pick(keys)})`,
  (pick) => `rename(${pick(keys)}, ${pick(keys)})`,
  (pick) => `default_time(${pick(keys)}${pick(["", ', "Asia/Tokyo"', ', "+8"', ', "Nowhere"'])})`,
  (pick) =>
    `kv_split(${pick(keys)}, include_keys=["a", "b", "c"]${pick(["", ', trim_value="[]"', ', trim_key="a", prefix="t"', ', field_split_pattern=";", value_split_pattern=":"'])})`,
  (pick) =>
    `grok(${pick(keys)}, ${quoted(pick(["^%{NOTSPACE:a}$", "%{INT:b:int}", "%{NUMBER:c:float} ?%{DATA:a}$", "(?P<a>x)|(?P<a>.)", "%{WORD:t:bool}", " *%{GREEDYDATA:b}"]))})`,
  (pick) => `${pick(["lowercase", "uppercase"])}(${pick(keys)})`,
  (pick) => `strfmt(${pick(keys)}, "${pick(["%s-%v", "%v%.0f", "%09.0f|%d"])}", ${pick(keys)}, ${pick(keys)})`,
  (pick) => `x = ${pick(keys)}`,
  (pick) =>
    `if ${pick(keys)} ${pick(["==", "!="])} ${quoted(pick(texts))} {\n  ${pick(["drop()", "exit()", "add_key(d, 1)"])}\n}`,
  (pick) => {
    const key = pick(keys);
    const branch = () => `${key} == ${quoted(pick(texts))} {\n  add_key(chosen, ${quoted(pick(texts))})\n}`;
    return `if ${branch()} elif ${branch()} elif ${branch()} else {\n  drop_key(${pick(keys)})\n}`;
  },
];

function lineOf(pick: ReturnType<typeof seeded>): string {
  const value = () =>
    pick([quoted(pick(texts)), quoted(pick(texts)), `${pick(["7", "-3", "120"])}i`, "1.5", "true", "9u"]);
  const tags = pick(["", `,a=${escapedTag(pick(texts)) || "z"}`, `,status=${escapedTag(pick(texts)) || "z"}`]);
  const fields = keys.filter((key) => pick([true, true, false]) && !tags.startsWith(`,${key}=`));
  return `l${tags} ${[...fields.map((key) => `${key}=${value()}`), "last=1i"].join(",")} 1700000000000000001`;
}

describe("a script gives the same result over a tape as over points in JavaScript", () => {
  it.each(Array.from({ length: 20 }, (_, seed) => seed))("for random scripts from seed %i", (seed) => {
    const pick = seeded(seed * 7919 + 1);
    for (let turn = 0; turn < 16; turn++) {
      texts = Array.from({ length: 4 }, () => pick(allTexts));
      const script = Array.from({ length: 1 + (turn % 9) }, () => pick(statements)(pick)).join("\n");
      const lines = Array.from({ length: 6 }, () => lineOf(pick)).join("\n");
      try {
        same(compile(script), lines);
        same(compile(script), lines, 2);
      } catch (error) {
        throw new Error(`${script}\n${lines}`, { cause: error });
      }
    }
  });

  it("when only the module runs the search", () => {
    const script = compile(
      `grok(message, "^%{NOTSPACE:a} %{INT:b:int} %{NUMBER:c:float} (?:%{WORD:t}|-)(?: %{INT:t})?")\nadd_key(after, a)`,
    );
    const pick = seeded(5);
    const line = () =>
      `l,host=h${pick(["", ",b=tagged"])} message=${quoted(
        `${pick(["x", "é", 'q"q', "\u00a0z"])} ${pick(["7", "-12", "007", "+3", "99999999999999999999"])} ${pick(["1.5", "-0", "12", "1e4"])} ${pick(["w", "-", "- 5", "w 6", ""])}`,
      )} 1`;
    // In the first searches, the module calls JavaScript to fill the tables of the regular expression's automaton.
    // Later searches find complete tables, so the module runs without JavaScript. The test compares many rounds of
    // searches to cover both cases.
    for (let turn = 0; turn < 30; turn++) same(script, Array.from({ length: 80 }, line).join("\n"));
  });
});

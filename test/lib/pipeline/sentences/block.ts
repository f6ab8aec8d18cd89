// Reads and runs test cases for scripts that are written as blocks of text: a script, its input, and its output.
// The comment at the top of language.txt describes the syntax of the blocks.

import type { CategoryName, Millrace, PlError, ScriptResult } from "../../../../lib/index.ts";
import { correct, Float, isBytes, Key, Point, type PointValue, type PointView, Uint } from "../../../../lib/index.ts";

/** One input of the script, and the output that the script must produce for this input. */
export interface BlockCase {
  /** The message of a log, or a point in line protocol. */
  readonly input: { readonly message: string } | { readonly lp: string };
  readonly category: CategoryName;
  readonly out: string;
}

export interface Block {
  /** Line number of the block in its file, from 1. */
  readonly line: number;
  readonly scripts: Readonly<Record<string, string>>;
  readonly cases: readonly BlockCase[];
}

/** Where the point is stored while the script runs: as a JavaScript object, or on a tape (in WebAssembly memory). */
export type PointPlace = "object" | "tape";

const NOW = 1700000000000000000n;

/** Parses the blocks of a file. The first script of a block is the one that runs. */
export function parseBlocks(text: string): Block[] {
  const blocks: { line: number; scripts: Record<string, string>; cases: BlockCase[] }[] = [];
  let category: CategoryName = "logging";
  let input: BlockCase["input"] = { message: "hi" };
  for (const [at, line] of text.split("\n").entries()) {
    const [, sign, rest = ""] = /^(>|\+ [a-z]+\.p:| {2}(?:of|in|out)) *(.*)$/.exec(line) ?? [];
    const block = blocks.at(-1);
    if (sign === undefined) continue;
    if (sign === ">") {
      blocks.push({ line: at + 1, scripts: { "main.p": rest.replaceAll(/ ?⏎ ?/g, "\n") }, cases: [] });
      category = "logging";
      input = { message: "hi" };
    } else if (sign.startsWith("+")) block!.scripts[sign.slice(2, -1)] = rest.replaceAll(/ ?⏎ ?/g, "\n");
    else if (sign === "  of") category = rest as CategoryName;
    else if (sign === "  in") input = rest.startsWith('"') ? { message: JSON.parse(rest) as string } : { lp: rest };
    else block!.cases.push({ input, category, out: rest });
  }
  return blocks;
}

/**
 * Runs a block and returns the output for each input, in the syntax of the file. With `deadlineMs`, each run has this
 * time limit in milliseconds, as runs of the debugger have.
 */
export function runBlock(
  mill: Millrace,
  { scripts, cases: turns }: Block,
  place: PointPlace,
  deadlineMs?: number,
): string[] {
  const category = turns[0]!.category;
  const set = mill.compile({ ...scripts }, { category });
  const error = set.errors.get("main.p");
  if (error !== undefined) return turns.map(() => `check error ${showError(error)}`);
  const script = set.scripts.get("main.p")!;
  return turns.map(({ input }) => {
    const { point, release } = pointOf(mill, input, category, place);
    const result = mill.run(script, point, { category, deadlineMs });
    const shown = result.error === null ? showResult(input, point, result) : `run error ${showError(result.error)}`;
    release();
    return shown;
  });
}

function showResult(input: BlockCase["input"], point: PointView, { dropped, created }: ScriptResult): string {
  const untouched = "message" in input ? input.message : null;
  const parts = [
    ...("message" in input && point.name === "default" ? [] : [`name=${JSON.stringify(point.name)}`]),
    ...showEntries(point, untouched),
    ...(untouched !== null && !point.has(new Key("message")) ? ["no message"] : []),
    ...(point.time === NOW ? [] : [`time=${point.time}`]),
    ...(dropped ? ["dropped"] : []),
    ...created.map((each) => `created ${each.point.name}{${showEntries(each.point, null).join(", ")}}`),
  ];
  return parts.length === 0 ? "(nothing written)" : parts.join(", ");
}

interface Held {
  readonly point: PointView;
  readonly release: () => void;
}

function pointOf(mill: Millrace, input: BlockCase["input"], category: CategoryName, place: PointPlace): Held {
  const onTape = (body: Uint8Array): Held => {
    const batch = mill.decodePoints(body, { category, form: "lp", now: NOW });
    return { point: batch.at(0), release: () => batch.release() };
  };
  if ("lp" in input) return onTape(new TextEncoder().encode(input.lp));
  const point = new Point("default", NOW);
  point.setField(new Key("message"), input.message);
  correct(point, category);
  return place === "tape" ? onTape(mill.encodePoints([point], "lp")) : { point, release: () => {} };
}

/**
 * Returns the tags and fields sorted by key, without an unchanged message and without the status that every log gets.
 */
function showEntries(point: PointView, untouched: string | null): string[] {
  const entries = [...point.entries()].map(({ key, value, isTag }) => ({ key, isTag, text: showValue(value) }));
  return entries
    .filter(({ key, isTag, text }) => isTag || !(key === "status" && text === '"unknown" str'))
    .filter(({ key, isTag, text }) => isTag || !(key === "message" && text === `${JSON.stringify(untouched)} str`))
    .map(
      ({ key, isTag, text }) =>
        `${isTag ? "#" : ""}${JSON.stringify(key).slice(1, -1)}=${isTag ? text.replace(/ str$/, "") : text}`,
    )
    .sort();
}

function showValue(value: PointValue): string {
  if (value === null) return "nil";
  if (value instanceof Float) return `${showFloat(value.value)} float`;
  if (value instanceof Uint) return `${value.value} uint`;
  if (typeof value === "boolean") return `${value} bool`;
  if (typeof value === "number" || typeof value === "bigint") return `${value} int`;
  return `${JSON.stringify(isBytes(value) ? value.toString() : String(value))} str`;
}

function showFloat(value: number): string {
  if (Object.is(value, -0)) return "-0";
  return String(value);
}

function showError({ error, pos_chain: chain }: PlError): string {
  const places = chain.map(({ file, ln, col }) => `${file === "main.p" ? "" : `${file}:`}${ln}:${col}`);
  return `${places.join(" <- ")}: ${error}`;
}

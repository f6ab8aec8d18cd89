// `millrace platform export`: writes points to files that other tools can read. The platform may run at the same time.

import { mkdir, open } from "node:fs/promises";
import path from "node:path";
import { parseArgs } from "node:util";
import { type CategoryName, categories, createMillrace, type Millrace, type Point } from "../../../lib/index.ts";
import { compileWasm } from "../../agent/engine.ts";
import { pointsIdOf } from "../../platform/metadata/ids.ts";
import { Exporter, type Selection } from "../../store/segments/care/export.ts";
import { counted } from "../terminal/counted.ts";
import { print, printData, printErrorLine } from "../terminal/print.ts";
import { platformExportUsage } from "../usage/platform.ts";
import { UsageError } from "../usage-error.ts";
import { placeOfStore, placeOptions } from "./place.ts";
import { withSnapshot } from "./snapshot-folder.ts";

const formats = ["parquet", "csv", "lp"] as const;
type Format = (typeof formats)[number];

interface Asked {
  readonly format: Format;
  readonly workspace: string | undefined;
  readonly category: CategoryName | undefined;
  readonly from: bigint;
  readonly to: bigint;
  /** The path of a folder for the files, or `-` for standard output. */
  readonly out: string;
}

const options = {
  ...placeOptions,
  format: { type: "string" },
  workspace: { type: "string" },
  category: { type: "string" },
  from: { type: "string" },
  to: { type: "string" },
  out: { type: "string" },
} as const;

/** Runs the command and returns its exit code. */
export async function exportPoints(args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options });
  if (values.help) {
    print(platformExportUsage);
    return 0;
  }
  const asked = readOptions(values);
  const place = placeOfStore(values);
  const mill = await createMillrace({ wasm: compileWasm() });
  return await withSnapshot(place, async (snapshot) => {
    let damaged = 0;
    const exporter = await Exporter.open(snapshot, mill, (line) => {
      damaged++;
      printErrorLine(line);
    });
    try {
      await exportAll(exporter, mill, asked);
    } finally {
      await exporter.close();
    }
    return damaged === 0 ? 0 : 1;
  });
}

function readOptions(values: Readonly<Record<string, string | boolean | undefined>>): Asked {
  const { format, workspace, category, from, to, out } = values as Readonly<Record<string, string | undefined>>;
  const known = formats.find((each) => each === format);
  if (known === undefined) throw new UsageError(`choose a format: --format ${formats.join("|")}`);
  if (out === undefined || out === "")
    throw new UsageError("name the folder of the files: --out DIR, or - for standard output");
  if (category !== undefined && !(categories as readonly string[]).includes(category))
    throw new UsageError(`unknown category; one of ${categories.join(", ")}`);
  if (out === "-" && (known !== "lp" || category === undefined))
    throw new UsageError("standard output takes one category as line protocol: --format lp --category NAME --out -");
  return {
    ...{ format: known, workspace, out },
    category: category as CategoryName | undefined,
    from: timeOf("--from", from) ?? -(2n ** 63n),
    to: timeOf("--to", to) ?? 2n ** 63n - 1n,
  };
}

/**
 * Parses the value of a time option. Returns ns since 1970, or undefined when the option is absent. Throws UsageError.
 */
function timeOf(option: string, text: string | undefined): bigint | undefined {
  if (text === undefined) return undefined;
  if (/^-?\d{1,19}$/.test(text)) return BigInt(text);
  const ms = Date.parse(text);
  if (Number.isNaN(ms))
    throw new UsageError(`${option}: not a time such as 2026-01-31T12:00:00Z, nor nanoseconds since 1970`);
  return BigInt(ms) * 1_000_000n;
}

async function exportAll(exporter: Exporter, mill: Millrace, asked: Asked): Promise<void> {
  const { workspace: given, category } = asked;
  const wanted = given === undefined ? undefined : [given, pointsIdOf(given)];
  const found = [...exporter.contents()].filter(
    (each) => (wanted?.includes(each.workspace) ?? true) && (category === undefined || each.category === category),
  );
  if (asked.out === "-" && found.length > 1)
    throw new UsageError(`${found.length} workspaces have points of ${category}: name one with --workspace`);
  let points = 0;
  const left = { out: 0, asText: 0 };
  for (const each of found) {
    const selection = { ...each, from: asked.from, to: asked.to };
    points += await exportOne(exporter, mill, selection, asked, left);
  }
  if (left.asText > 0) printErrorLine(`${counted(left.asText, "binary or array value")} written as text`);
  if (left.out > 0) printErrorLine(`${counted(left.out, "point")} left out, which line protocol cannot say`);
  printErrorLine(`exported ${counted(points, "point")}`);
}

async function exportOne(
  exporter: Exporter,
  mill: Millrace,
  selection: Selection,
  { format, out }: Asked,
  left: { out: number; asText: number },
): Promise<number> {
  if (out === "-") {
    return await writeLines(exporter, mill, selection, printData, left);
  }
  const { workspace, category } = selection;
  const file = path.join(path.resolve(out), workspace, `${category}.${format}`);
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  let points: number;
  if (format !== "lp") points = await exporter.writeFile(selection, format, file);
  else {
    const handle = await open(file, "w", 0o600);
    try {
      points = await writeLines(exporter, mill, selection, (bytes) => handle.writeFile(bytes), left);
    } finally {
      await handle.close();
    }
  }
  printErrorLine(`${file}: ${counted(points, "point")}`);
  return points;
}

async function writeLines(
  exporter: Exporter,
  mill: Millrace,
  selection: Selection,
  write: (bytes: Uint8Array) => Promise<void>,
  left: { out: number; asText: number },
): Promise<number> {
  let all = 0;
  const newline = Buffer.from("\n");
  for await (const points of exporter.points(selection, () => left.asText++)) {
    const { bytes, count } = encoded(mill, points);
    left.out += points.length - count;
    all += count;
    if (bytes.length === 0) continue;
    await write(bytes);
    if (bytes.at(-1) !== newline[0]) await write(newline);
  }
  return all;
}

function encoded(mill: Millrace, points: readonly Point[]): { readonly bytes: Buffer; readonly count: number } {
  const chunks: Buffer[] = [];
  const count = mill.encodeTo(points, "lp", (chunk) => chunks.push(Buffer.from(chunk)));
  return { bytes: Buffer.concat(chunks), count };
}

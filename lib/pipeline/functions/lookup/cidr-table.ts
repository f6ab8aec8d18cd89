// The address database of `geoip` as a table of networks (docs/reference/functions.md#geoip): rows `cidr, country,
// province, city, isp` as CSV or JSON. When several networks contain an address, the network with the longest prefix is
// used.

import { refuse, requireString } from "../../../text/argument.ts";
import type { Place } from "../../runtime/run.ts";
import { parseAddress } from "./network.ts";

const COLUMNS = ["cidr", "country", "province", "city", "isp"] as const;

/** A network of IP addresses with its geographic place. */
export type CidrRow = { readonly cidr: string } & Place;

/** The error for a table that cannot be used; the message names the wrong row. */
export class CidrTableError extends Error {}

/**
 * All networks with prefixes of the same length. `places` maps the leading bits of an address to the data of the
 * network (such as its city).
 */
interface Level {
  readonly bits: 32 | 128;
  readonly length: number;
  readonly places: Map<bigint, Place>;
}

/**
 * Returns a function that finds the geographic place of an IP address. The function returns null for an address in no
 * network, and for a string that is not an address. When two rows have the same network, the first row is used. Throws
 * CidrTableError.
 *
 * @example
 * cidrLookup([{ cidr: "10.0.0.0/8", city: "Rome" }])("10.1.2.3"); // { city: "Rome" }
 */
export function cidrLookup(rows: readonly CidrRow[]): (ip: string) => Place | null {
  if (!Array.isArray(rows)) refuse("cidrLookup", "rows", "an array of rows", rows);
  for (const [at, row] of (rows as readonly unknown[]).entries()) {
    if (typeof row !== "object" || row === null || Array.isArray(row))
      refuse("cidrLookup", `rows[${at}]`, "an object with cidr", row);
  }
  const levels = new Map<string, Level>();
  for (const [at, { cidr, ...place }] of rows.entries()) {
    const match = /^([^/]+)(?:\/(0|[1-9]\d{0,2}))?$/.exec(cidr);
    const address = parseAddress(match?.[1] ?? "");
    const length = Number(match?.[2] ?? address?.bits);
    if (address === undefined || length > address.bits)
      throw new CidrTableError(`row ${at + 1}: ${JSON.stringify(cidr)} is no network`);
    const { bits } = address;
    const name = `${bits}/${length}`;
    const level = levels.get(name) ?? { bits, length, places: new Map() };
    levels.set(name, level);
    const prefix = address.value >> BigInt(bits - length);
    if (!level.places.has(prefix)) level.places.set(prefix, place);
  }
  const longestFirst = [...levels.values()].sort((a, b) => b.length - a.length);
  return (ip) => {
    const address = parseAddress(ip);
    if (address === undefined) return null;
    for (const { bits, length, places } of longestFirst) {
      if (bits !== address.bits) continue;
      const place = places.get(address.value >> BigInt(bits - length));
      if (place !== undefined) return place;
    }
    return null;
  };
}

/**
 * Reads a table as a JSON array of objects, or as CSV whose first line may name the columns. Throws CidrTableError.
 *
 * @example
 * parseCidrTable("10.0.0.0/8,IT,Lazio,Rome,isp").length; // 1
 */
export function parseCidrTable(text: string): CidrRow[] {
  requireString("parseCidrTable", "text", text);
  return /^\s*\[/.test(text) ? jsonRows(text) : csvRows(text);
}

function jsonRows(text: string): CidrRow[] {
  let rows: unknown;
  try {
    rows = JSON.parse(text);
  } catch (error) {
    throw new CidrTableError((error as Error).message);
  }
  return (rows as unknown[]).map((row, at) => {
    if (typeof row !== "object" || row === null) throw new CidrTableError(`row ${at + 1}: must be an object`);
    const wrong = COLUMNS.find(
      (name) => !["string", "undefined"].includes(typeof (row as Record<string, unknown>)[name]),
    );
    if (wrong !== undefined) throw new CidrTableError(`row ${at + 1}: ${wrong} must be a text`);
    return rowOf(
      at,
      COLUMNS.map((name) => (row as Record<string, string | undefined>)[name]),
      COLUMNS,
    );
  });
}

function csvRows(text: string): CidrRow[] {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== "");
  const head = cellsOf(lines[0] ?? "").map((cell) => cell.toLowerCase());
  const names = head.includes("cidr") ? head : COLUMNS;
  const rows = names === head ? lines.slice(1) : lines;
  return rows.map((line, at) => rowOf(at, cellsOf(line), names));
}

/** Splits a line of CSV into cells. Quoted cells may contain commas and doubled quotes. */
function cellsOf(line: string): string[] {
  const cells: string[] = [];
  for (const [, quoted, bare] of line.matchAll(/(?:^|,)\s*(?:"((?:[^"]|"")*)"\s*|([^,]*))(?=,|$)/g)) {
    cells.push(quoted === undefined ? bare!.trim() : quoted.replaceAll('""', '"'));
  }
  return cells;
}

function rowOf(at: number, cells: readonly (string | undefined)[], names: readonly string[]): CidrRow {
  const cell = (name: string) => cells[names.indexOf(name)] ?? "";
  const cidr = cell("cidr");
  if (cidr === "") throw new CidrTableError(`row ${at + 1}: no cidr`);
  return { cidr, country: cell("country"), province: cell("province"), city: cell("city"), isp: cell("isp") };
}

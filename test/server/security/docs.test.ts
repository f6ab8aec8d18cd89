// Checks docs/security.md: the settings and constants that the page names must agree with the code, and the
// tests that it names must exist.

import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { schema } from "../../../server/config/schema.ts";
import type { Fields, Setting } from "../../../server/config/setting.ts";

const root = new URL("../../../", import.meta.url);
const textOf = (file: string) => readFileSync(new URL(file, root), "utf8");
const page = textOf("docs/security.md");
const rows = page
  .split("\n")
  .filter((line) => line.startsWith("| "))
  .map((line) => line.slice(2, -2).split(" | "));

const mebibyte = 1024 * 1024;

/** Returns the default value of a setting in the form in which docs/security.md writes such a value. */
function shownDefault(name: string, value: unknown): string {
  if (value === "" || (Array.isArray(value) && value.length === 0)) return "empty";
  if (typeof value !== "number" || value < mebibyte || !/_(?:bytes|size)(?:_|$)/.test(name)) return String(value);
  const gibibytes = value / (1024 * mebibyte);
  return Number.isInteger(gibibytes) ? `${gibibytes} GiB` : `${value / mebibyte} MiB`;
}

/** Matches the names of settings that limit what clients may use. */
const isLimit =
  /max_|_limit(?:_|$)|_limit$|timeout|min_body|_bytes$|capacity|memory|whitelist|denylist|white_list|hot_points/;
/**
 * Settings whose names look like limits, although they do not limit clients: the number of points that the agent
 * collects before it writes them, the place where reference tables are kept, and the time after which an event of
 * several lines counts as complete.
 */
const none = new Set([
  "io.max_cache_count",
  "pipeline.sqlite_mem_mode",
  "inputs.tail.multiline_timeout",
  "inputs.stdin.multiline_timeout",
]);

/** All settings by name, including the settings of each entry in an array of tables. */
const settings: Readonly<Record<string, Setting>> = Object.fromEntries(
  Object.entries<Setting>(schema).flatMap(([name, setting]) => [
    [name, setting],
    ...Object.entries<Setting>(setting.fields ?? ({} as Fields)).map(([key, field]) => [`${name}.${key}`, field]),
  ]),
);

describe("docs/security.md", () => {
  const named = rows.filter(([first]) => /^`[a-z_0-9]+\.[a-z_0-9.]+`$/.test(first!));

  it.each(named)("shows %s with the default and the meaning of its declaration", (quoted, shown, meaning) => {
    const name = quoted!.slice(1, -1);
    const setting = settings[name];
    expect(setting, `there is no setting ${name}`).toBeDefined();
    expect([shown, meaning]).toEqual([shownDefault(name, setting!.default), setting!.summary]);
  });

  it("names every setting that is a limit, once", () => {
    const names = named.map(([quoted]) => quoted!.slice(1, -1));
    expect(new Set(names).size).toBe(names.length);
    const limits = Object.keys(settings).filter((name) => isLimit.test(name) && !none.has(name));
    expect(limits.filter((name) => !names.includes(name))).toEqual([]);
  });

  const constants = rows.filter(([, , place]) => place?.includes("` `"));

  it.each(constants)("%s: %s", (_limit, value, place) => {
    const [, file, name] = /^`([^`]+)` `([^`]+)`$/.exec(place!)!;
    const declared = new RegExp(`\\bconst ${name} = ([^;]+);`).exec(textOf(file!))?.[1];
    expect(`\`${declared}\``).toBe(value);
  });

  it("contains limits that are settings and limits that are constants", () => {
    expect([named.length > 50, constants.length > 20]).toEqual([true, true]);
    const heads = rows.filter(([first]) => first === "Setting" || first === "Limit");
    expect(rows.filter((row) => ![...heads, ...named, ...constants].includes(row))).toEqual([]);
  });

  it.each([...named, ...constants])("%s names an existing test", (...cells) => {
    const [, file] = /^`(test\/[^`]+\.test\.ts)`$/.exec(cells.at(-1)!) ?? [];
    expect(file, `${cells[0]} names no test: ${cells.at(-1)}`).toBeDefined();
    expect(existsSync(new URL(file!, root)), `there is no ${file}`).toBe(true);
  });

  it("names only tests that exist", () => {
    const tests = [...page.matchAll(/`(test\/[^`]+)`/g)].map(([, file]) => file!);
    expect(tests.length).toBeGreaterThan(50);
    expect(tests.filter((file) => !existsSync(new URL(file, root)))).toEqual([]);
  });

  it.each(["docs/security.md", "SECURITY.md", "README.md"])("%s links only to what is there", (file) => {
    const from = new URL(file, root);
    const links = [...textOf(file).matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)].map(([, to]) => to!);
    expect(links.filter((to) => !existsSync(fileURLToPath(new URL(to, from))))).toEqual([]);
    if (file !== "docs/security.md") expect(links).toContain("docs/security.md");
  });
});

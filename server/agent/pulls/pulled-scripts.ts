// Parses an answer in which the gateway sends scripts (docs/reference/agent.md#scripts). Checks the whole answer before
// any part of it is used.

import { type CategoryName, categories } from "../../../lib/point/index.ts";
import { decodeBase64 } from "../../http/body/base64.ts";
import { isRecord } from "../../http/body/json-body.ts";
import type { Relation } from "../scripts/script-layers.ts";
import type { ScriptSources } from "../scripts/script-sources.ts";

interface WireScript {
  readonly name: string;
  readonly base64text: string;
  readonly category: CategoryName;
  /**
   * Whether the script is the default one of its category, which runs over all points that have no script of their own.
   */
  readonly asDefault?: boolean;
}

/** The gateway's answer with scripts: the members that this agent uses, named as in the JSON. */
export interface PulledScripts {
  readonly update_time: number;
  readonly pipelines: readonly WireScript[];
  readonly relation_update_time: number;
  readonly relation: readonly Relation[];
}

export interface ParsedScripts {
  readonly pulled: PulledScripts;
  /** Texts of the scripts that the gateway sent; undefined when the scripts have not changed. */
  readonly sources: ScriptSources | undefined;
  /**
   * Names of categories in the gateway's answer that this agent does not know. The agent ignores the scripts of
   * these categories, and their relations (which assign scripts to names of points).
   */
  readonly unknown: readonly string[];
}

/** Special value of `update_time`: the gateway tells the agent to delete all scripts that came from the gateway. */
const nothing = 1;
/**
 * The value of `relation_update_time` by which the gateway says that the relations (which assign scripts to
 * names of points) have not changed.
 */
export const unchanged = -1;

const maxScripts = 10_000;
const maxScriptBytes = 1024 * 1024;
const maxAllBytes = 16 * 1024 * 1024;
const maxRelations = 100_000;
const maxNameChars = 260;
const fileName = /^[^/\\\p{Cc}]+\.p$/u;

/**
 * Parses an answer of the gateway with scripts. `before`: the `update_time` of the previous answer. Returns undefined
 * when the answer does not mention scripts. Throws when its contents are invalid.
 */
export function parsePulledScripts(text: string, before: number): ParsedScripts | undefined {
  const body = parseJson(text);
  if (!isRecord(body)) throw new Error("the answer is no object");
  const pulled = body.remote_pipelines;
  if (pulled === undefined || pulled === null) return undefined;
  if (!isRecord(pulled)) throw new Error("remote_pipelines is no object");
  const pipelines = listOf(pulled, "pipelines", maxScripts);
  const relation = listOf(pulled, "relation", maxRelations);
  const scripts = pipelines.known.map(scriptOf);
  const updateTime = timeOf(pulled, "update_time", 0);
  return {
    pulled: {
      update_time: updateTime,
      pipelines: scripts,
      relation_update_time: timeOf(pulled, "relation_update_time", unchanged),
      relation: relation.known.map(relationOf),
    },
    sources: updateTime <= 0 || updateTime === before ? undefined : sourcesOf(updateTime === nothing ? [] : scripts),
    unknown: [...new Set([...pipelines.unknown, ...relation.unknown])],
  };
}

/** Parses JSON. Throws an error whose message quotes no part of the text. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error("the answer is not JSON");
  }
}

function timeOf(pulled: Record<string, unknown>, member: string, absent: number): number {
  const time = pulled[member] ?? absent;
  if (!Number.isSafeInteger(time)) throw new Error(`${member} is no integer`);
  return time as number;
}

type Item = Record<string, unknown> & { readonly category: CategoryName };

function listOf(pulled: Record<string, unknown>, member: string, most: number): { known: Item[]; unknown: string[] } {
  const list = pulled[member] ?? [];
  if (!Array.isArray(list)) throw new Error(`${member} is no list`);
  if (list.length > most) throw new Error(`${member}: more than ${most}`);
  const known: Item[] = [];
  const unknown: string[] = [];
  for (const [at, each] of list.entries()) {
    if (!isRecord(each) || typeof each.category !== "string") throw new Error(`${member}[${at}]: no category`);
    if ((categories as readonly string[]).includes(each.category)) known.push(each as Item);
    else unknown.push(each.category.slice(0, maxNameChars));
  }
  return { known, unknown };
}

function scriptOf({ category, name, base64text, asDefault }: Item, at: number): WireScript {
  if (!isFileName(name)) throw new Error(`pipelines[${at}]: name must be a file name that ends with .p`);
  if (typeof base64text !== "string") throw new Error(`${category}/${name}: base64text is no text`);
  return { category, name, base64text, ...(asDefault === true ? { asDefault } : {}) };
}

function relationOf({ category, source, name }: Item, at: number): Relation {
  if (typeof source !== "string" || source === "") throw new Error(`relation[${at}]: no source`);
  if (!isFileName(name)) throw new Error(`relation[${at}]: name must be a file name that ends with .p`);
  return { category, source, name };
}

function isFileName(name: unknown): name is string {
  return typeof name === "string" && name.length <= maxNameChars && fileName.test(name);
}

/**
 * Returns the texts of scripts by category. Includes categories without scripts, so that their old scripts are removed.
 */
function sourcesOf(scripts: readonly WireScript[]): ScriptSources {
  const sources: Record<string, Record<string, string>> = Object.fromEntries(categories.map((name) => [name, {}]));
  let all = 0;
  for (const { category, name, base64text } of scripts) {
    const bytes = bytesOf(base64text, `${category}/${name}`);
    all += bytes.length;
    if (bytes.length > maxScriptBytes) throw new Error(`${category}/${name}: longer than ${maxScriptBytes} bytes`);
    if (all > maxAllBytes) throw new Error(`all scripts together: longer than ${maxAllBytes} bytes`);
    if (Object.hasOwn(sources[category]!, name)) throw new Error(`${category}/${name} is there twice`);
    sources[category]![name] = textOf(bytes, `${category}/${name}`);
  }
  return sources;
}

/** Decodes the text of a script from base64, with or without padding. */
function bytesOf(base64: string, script: string): Uint8Array {
  try {
    return decodeBase64(base64.padEnd(Math.ceil(base64.length / 4) * 4, "="));
  } catch (error) {
    throw new Error(`${script}: ${(error as Error).message}`);
  }
}

function textOf(bytes: Uint8Array, script: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new Error(`${script}: not UTF-8`);
  }
}

// Answers the regular requests in which agents pull their configuration (docs/reference/agent.md#scripts): the enabled
// pipelines of their workspace, the relations (which points each pipeline processes), and blacklists as filters.

import { createHash } from "node:crypto";
import type { Metadata } from "./metadata/metadata.ts";
import type { Scope } from "./metadata/scope.ts";
import { allBlacklists, conditionOf } from "./open-api/blacklists/blacklist-record.ts";
import { allPipelines, defaultPipelines, pipelineStatus } from "./open-api/pipelines/pipeline-record.ts";

/** The version number that makes an agent delete its relations (which points each pipeline processes). */
const nothing = 1;
/** The version number that tells an agent that its relations (which points each pipeline processes) are up to date. */
const unchanged = -1;

interface PulledScript {
  readonly name: string;
  readonly base64text: string;
  readonly category: string;
  readonly asDefault: boolean;
}

interface Relation {
  readonly category: string;
  readonly source: string;
  readonly name: string;
}

type Asked = Readonly<Record<string, string | undefined>>;

export async function answerPull(metadata: Metadata, pointsId: string, asked: Asked): Promise<object> {
  return {
    ...(asked.filters === "true" ? { filters: await filtersOf(metadata, pointsId) } : {}),
    ...(asked.remote_pipelines === "true" ? { remote_pipelines: await pulled(metadata, pointsId, asked) } : {}),
  };
}

async function scopeOf(metadata: Metadata, pointsId: string): Promise<Scope | undefined> {
  const row = await metadata.workspaces.byPoints(pointsId);
  if (row === undefined) return undefined;
  return { workspace: row.uuid, pointsId, actor: { uuid: "", name: "", roles: [] }, traceId: "" };
}

/** Returns the filters of each category in a fixed order, so that equal filters always give the same JSON. */
async function filtersOf(metadata: Metadata, pointsId: string): Promise<Readonly<Record<string, readonly string[]>>> {
  const scope = await scopeOf(metadata, pointsId);
  const filters: Record<string, string[]> = {};
  if (scope === undefined) return filters;
  const lines = (await allBlacklists(metadata, scope)).map(({ document }) => ({
    type: document.type,
    condition: conditionOf(document),
  }));
  lines.sort((a, b) => (`${a.type} ${a.condition}` < `${b.type} ${b.condition}` ? -1 : 1));
  for (const { type, condition } of lines) (filters[type] ??= []).push(condition);
  return filters;
}

async function pulled(metadata: Metadata, pointsId: string, { relation_ts: known }: Asked): Promise<object> {
  const scripts = await scriptsOf(metadata, pointsId);
  const pipelines = scripts.map(({ script }) => script);
  const relation = relationOf(scripts);
  const relationTime = stamp(relation);
  return {
    update_time: stamp(pipelines),
    pipelines,
    relation_update_time: known === String(relationTime) ? unchanged : relationTime,
    relation,
  };
}

interface Enabled {
  readonly script: PulledScript;
  readonly sources: readonly string[];
}

/** Returns the scripts ordered by category and name, so that equal sets of scripts always give the same JSON. */
async function scriptsOf(metadata: Metadata, pointsId: string): Promise<readonly Enabled[]> {
  const scope = await scopeOf(metadata, pointsId);
  if (scope === undefined) return [];
  const [all, defaults] = await Promise.all([allPipelines(metadata, scope), defaultPipelines(metadata, scope)]);
  return all
    .filter(({ status }) => status === pipelineStatus.enabled)
    .map(
      ({ uuid, document: { name, category, content, source } }): Enabled => ({
        script: { name: `${name}.p`, base64text: content, category, asDefault: defaults.has(uuid) },
        sources: source,
      }),
    )
    .sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
}

function orderOf({ script: { category, name } }: Enabled): string {
  return `${category}/${name}`;
}

/**
 * Returns the relations: for each source of points, the script that processes these points. When two scripts are for
 * the same points, the first script is used.
 */
function relationOf(scripts: readonly Enabled[]): readonly Relation[] {
  const relations = new Map<string, Relation>();
  for (const { script, sources } of scripts) {
    for (const source of sources) {
      const key = `${script.category}/${source}`;
      if (!relations.has(key)) relations.set(key, { category: script.category, source, name: script.name });
    }
  }
  return [...relations.values()];
}

/**
 * Returns the version number of a list that agents pull. An agent compares this number with the version number of its
 * own list. The number is 1 for an empty list, else a number above 1 that depends on the content of the list.
 */
function stamp(list: readonly object[]): number {
  if (list.length === 0) return nothing;
  return 2 + createHash("sha256").update(JSON.stringify(list)).digest().readUIntBE(0, 5);
}

// Answers the requests in which agents regularly pull their configuration (docs/reference/agent.md#scripts). The
// answer contains the enabled pipelines of the agent's workspace, the relations (which pipeline processes which
// points), and the blacklists as filters.

import { createHash } from "node:crypto";
import type { Metadata } from "./metadata/metadata.ts";
import type { Scope } from "./metadata/scope.ts";
import { allBlacklists, conditionOf } from "./open-api/blacklists/blacklist-record.ts";
import { allPipelines, defaultPipelines, pipelineStatus } from "./open-api/pipelines/pipeline-record.ts";

/**
 * The version number of an empty list. An agent that receives it as the version of the relations (which pipeline
 * processes which points) deletes its relations.
 */
const nothing = 1;
/**
 * The version number that means: the relations of the agent (which pipeline processes which points) are up to
 * date.
 */
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

/**
 * Returns the filters by category. The filters of a category have a fixed order, so that the same filters always
 * give the same JSON.
 */
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

/** Returns the enabled scripts, ordered by category and name, so that the same scripts always give the same JSON. */
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
 * Returns the relations. A relation names the script that processes the points of one source. When several
 * scripts name the same source, the first of them is used.
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
 * Returns the version number of a list. An agent compares it with the version number of the list that it already
 * has. The number of an empty list is 1; any other list has a number above 1 that is computed from its content.
 */
function stamp(list: readonly object[]): number {
  if (list.length === 0) return nothing;
  return 2 + createHash("sha256").update(JSON.stringify(list)).digest().readUIntBE(0, 5);
}

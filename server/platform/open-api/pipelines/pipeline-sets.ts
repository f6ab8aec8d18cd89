// The routes that delete, disable, export or import several pipelines in one request
// (docs/reference/open-api.md).

import { newId } from "../../metadata/ids.ts";
import type { Metadata } from "../../metadata/metadata.ts";
import { DuplicateRecord } from "../../metadata/records.ts";
import type { Scope } from "../../metadata/scope.ts";
import { type Author, authorOf } from "../access/author.ts";
import { found, invalidParameter } from "../protocol/errors.ts";
import { declare, type Route } from "../protocol/route.ts";
import { bool, inCommas, integer, list, mapOf, object, optional, text, type ValueOf } from "../protocol/schema.ts";
import { pipelineExample } from "./pipeline-examples.ts";
import {
  allPipelines,
  defaultPipelines,
  foundBy,
  makeDefault,
  ofPipelines,
  type PipelineDocument,
  pipelineMembers,
  pipelineRecord,
  pipelineSchema,
  pipelineStatus,
  pipelines,
  refuseSecondDefault,
  type StoredPipeline,
  unmakeDefault,
} from "./pipeline-record.ts";
import { checkScripts, checkTestData } from "./pipeline-script.ts";

/** Maximum number of pipelines in one request. */
const maxAtOnce = 1000;

const uuids = list(text({ min: 0 }), { about: "identifiers of pipelines" });
const { name, category, content, testData, source, asDefault, extend } = pipelineMembers;
const transferred = object({
  name,
  category,
  content,
  testData: optional(testData),
  source: optional(source),
  asDefault: optional(asDefault),
  status: optional(integer({ oneOf: [0, 2], default: 0 })),
  extend: optional(extend),
});
type Transferred = ValueOf<typeof transferred>;
const exported = object({ pipelines: list(transferred) });
const shown: Transferred = {
  name: pipelineExample.name,
  category: "logging",
  content: pipelineExample.content,
  testData: pipelineExample.testData,
  source: pipelineExample.source,
  asDefault: 0,
  status: 0,
  extend: {},
};

export const pipelineSetRoutes: readonly Route[] = [
  declare({
    name: "deletePipelines",
    method: "POST",
    path: "/pipeline/delete",
    ...ofPipelines,
    summary: "Deletes the named pipelines; deletes none when one of them is not found.",
    body: object({ pipelineUUIDs: uuids }),
    answer: mapOf(text(), { about: "names, under the identifiers" }),
    examples: [
      {
        title: "Delete one",
        body: { pipelineUUIDs: [pipelineExample.uuid] },
        content: { [pipelineExample.uuid]: pipelineExample.name },
      },
    ],
    handle: async ({ metadata, scope, body }) => {
      const deleted: Record<string, string> = {};
      for (const { uuid, document } of await named(metadata, scope, body.pipelineUUIDs)) {
        await pipelines(metadata).remove(scope, uuid);
        await unmakeDefault(metadata, scope, uuid);
        deleted[uuid] = document.name;
      }
      return deleted;
    },
  }),

  declare({
    name: "disablePipelines",
    method: "POST",
    path: "/pipeline/batch_set_disable",
    ...ofPipelines,
    summary: "Disables or enables the named pipelines; changes none when one of them is not found.",
    body: object({ isDisable: bool({ about: "true: disables pipelines; false: enables them" }), pipelineUUIDs: uuids }),
    answer: mapOf(integer({ oneOf: [0, 2] }), { about: "status, under the identifiers" }),
    examples: [
      {
        title: "Disable one",
        body: { isDisable: true, pipelineUUIDs: [pipelineExample.uuid] },
        content: { [pipelineExample.uuid]: 2 },
      },
    ],
    handle: async ({ metadata, scope, body }) => {
      const status = body.isDisable ? pipelineStatus.disabled : pipelineStatus.enabled;
      const statuses: Record<string, 0 | 2> = {};
      for (const { uuid } of await named(metadata, scope, body.pipelineUUIDs)) {
        const change = await pipelines(metadata).change(scope, uuid, ({ document, status: before }) => {
          if (before === status) return undefined;
          const after = { ...document, updator: authorOf(scope) };
          return { ...foundBy(after), document: after, status, action: body.isDisable ? "disable" : "enable" };
        });
        found(change, uuid);
        statuses[uuid] = status;
      }
      return statuses;
    },
  }),

  declare({
    name: "exportPipelines",
    method: "GET",
    path: "/pipeline/export",
    ...ofPipelines,
    summary: "Exports all pipelines, or only the named ones.",
    query: {
      pipelineUUIDs: optional(inCommas({ about: "identifiers of pipelines, separated by commas; default: all" })),
    },
    answer: exported,
    examples: [{ title: "All", content: { pipelines: [shown] } }],
    handle: ({ metadata, scope, query }) => exportOf(metadata, scope, query.pipelineUUIDs),
  }),

  declare({
    name: "exportChosenPipelines",
    method: "POST",
    path: "/pipeline/export",
    ...ofPipelines,
    summary: "Exports all pipelines, or only the ones named in the body.",
    reads: true,
    body: object({ pipelineUUIDs: optional(uuids) }),
    answer: exported,
    examples: [{ title: "One", body: { pipelineUUIDs: [pipelineExample.uuid] }, content: { pipelines: [shown] } }],
    handle: ({ metadata, scope, body }) => exportOf(metadata, scope, body.pipelineUUIDs),
  }),

  declare({
    name: "importPipelines",
    method: "POST",
    path: "/pipeline/import",
    ...ofPipelines,
    summary: "Imports exported pipelines; each replaces a pipeline with the same category and name.",
    details: "All scripts are compiled together first; a mistake in one of them, and nothing is imported.",
    body: object({
      pipelines: list(transferred, { about: `1 to ${maxAtOnce} pipelines` }),
      isForce: optional(bool({ default: false, about: "true: replaces the categories' present default scripts" })),
    }),
    answer: object({ data: list(pipelineSchema) }),
    examples: [{ title: "One", body: { pipelines: [shown] }, content: { data: [pipelineExample] } }],
    handle: async ({ metadata, services, scope, body }) => {
      const given = body.pipelines;
      if (given.length === 0) throw invalidParameter("pipelines", "must not be empty");
      if (given.length > maxAtOnce) throw invalidParameter("pipelines", `longer than ${maxAtOnce} elements`);
      const stored = await allPipelines(metadata, scope);
      const byName = new Map(stored.map((each) => [foundBy(each.document).uniqueName, each]));
      refuseTwice(given);
      for (const [at, each] of given.entries()) checkTestData(each.testData ?? "", `pipelines[${at}].testData`);
      const scripts = given.map((each, at) => ({ ...each, member: `pipelines[${at}].content` }));
      await checkScripts(services.scripts, scripts, stored);
      for (const each of given) {
        if (each.asDefault !== 1 || body.isForce === true) continue;
        const own = byName.get(foundBy(each).uniqueName)?.uuid ?? "";
        await refuseSecondDefault(metadata, scope, each.category, own);
      }
      const author = authorOf(scope);
      const made: StoredPipeline[] = [];
      for (const each of given) {
        const row = await put(metadata, scope, each, author);
        if (each.asDefault === 1) {
          const isForce = body.isForce ?? false;
          await makeDefault(metadata, scope, { category: each.category, uuid: row.uuid, isForce });
        }
        made.push(row);
      }
      const defaults = await defaultPipelines(metadata, scope);
      return { data: made.map((each) => pipelineRecord(scope, each, defaults)) };
    },
  }),
];

/** Returns the pipelines with the given identifiers. Throws ObjectNotFound for the first missing one. */
async function named(metadata: Metadata, scope: Scope, wanted: readonly string[]): Promise<readonly StoredPipeline[]> {
  if (wanted.length === 0) throw invalidParameter("pipelineUUIDs", "must not be empty");
  if (wanted.length > maxAtOnce) throw invalidParameter("pipelineUUIDs", `longer than ${maxAtOnce} elements`);
  const all: StoredPipeline[] = [];
  for (const uuid of new Set(wanted)) {
    all.push(found(await pipelines(metadata).get(scope, uuid), uuid));
  }
  return all;
}

async function exportOf(metadata: Metadata, scope: Scope, wanted: readonly string[] | undefined) {
  const all = wanted === undefined ? await allPipelines(metadata, scope) : await named(metadata, scope, wanted);
  const defaults = await defaultPipelines(metadata, scope);
  return {
    pipelines: all.map(({ uuid, status, document }): Transferred => {
      const { creator: _creator, updator: _updator, ...rest } = document;
      return { ...rest, asDefault: defaults.has(uuid) ? 1 : 0, status: status as 0 | 2 };
    }),
  };
}

function refuseTwice(given: readonly Transferred[]): void {
  const seen = new Set<string>();
  const defaults = new Set<string>();
  for (const [at, each] of given.entries()) {
    const { uniqueName } = foundBy(each);
    if (seen.has(uniqueName)) throw invalidParameter(`pipelines[${at}].name`, `"${each.name}" is there twice`);
    seen.add(uniqueName);
    if (each.asDefault !== 1) continue;
    if (defaults.has(each.category)) {
      throw invalidParameter(`pipelines[${at}].asDefault`, `${each.category} has two defaults`);
    }
    defaults.add(each.category);
  }
}

/** Creates a pipeline. If a pipeline with the same category and name exists, replaces it. */
async function put(metadata: Metadata, scope: Scope, given: Transferred, author: Author): Promise<StoredPipeline> {
  const records = pipelines(metadata);
  const documentOf = (creator: Author): PipelineDocument => ({
    name: given.name,
    category: given.category,
    content: given.content,
    testData: given.testData ?? "",
    source: given.source ?? [],
    extend: given.extend ?? {},
    creator,
    updator: author,
  });
  const status = given.status ?? pipelineStatus.enabled;
  const by = foundBy(given);
  for (;;) {
    const stored = await records.byName(scope, by.uniqueName);
    if (stored === undefined) {
      try {
        return await records.create(scope, { uuid: newId("pl"), ...by, status, document: documentOf(author) });
      } catch (error) {
        // Another request has created the pipeline in the meantime, so the loop tries again.
        if (!(error instanceof DuplicateRecord)) throw error;
        continue;
      }
    }
    const change = await records.change(scope, stored.uuid, ({ document }) => ({
      ...by,
      status,
      document: documentOf(document.creator),
      action: "import",
    }));
    if (change !== undefined) return change.after;
  }
}

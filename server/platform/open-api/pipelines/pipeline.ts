// The routes that list pipelines, and that create, read, change or delete a single pipeline
// (docs/reference/open-api.md). Agents that fetch scripts from the platform receive only the enabled pipelines.

import { categories } from "../../../../lib/point/index.ts";
import { newId } from "../../metadata/ids.ts";
import { DuplicateRecord } from "../../metadata/records.ts";
import { authorOf } from "../access/author.ts";
import { duplicated, found, invalidParameter } from "../protocol/errors.ts";
import { paged, pageOf, pageParameters, searchParameter } from "../protocol/page.ts";
import { declare, declareList, idShape, type Route } from "../protocol/route.ts";
import { bool, inCommas, object, optional } from "../protocol/schema.ts";
import { pipelineExample } from "./pipeline-examples.ts";
import {
  allPipelines,
  categoryTerm,
  defaultPipelines,
  foundBy,
  makeDefault,
  ofPipelines,
  type PipelineDocument,
  pipelineMembers,
  pipelineRecord,
  pipelineSchema,
  pipelines,
  refuseSecondDefault,
  unmakeDefault,
} from "./pipeline-record.ts";
import { checkScripts, checkTestData } from "./pipeline-script.ts";

export const pipelineIds = { pipeline: idShape("pl") };

const { name, category, content, testData, source, asDefault, extend } = pipelineMembers;
const isForce = optional(bool({ default: false, about: "true: replaces the category's present default script" }));
const scriptNote =
  "The script is compiled, together with the enabled ones of its category; a mistake is InvalidParameter with its place, " +
  "such as `content: nginx.p:2:4: ...`.";

export const pipelineRoutes: readonly Route[] = [
  declareList({
    name: "listPipelines",
    method: "GET",
    path: "/pipeline/list",
    ...ofPipelines,
    summary: "Lists pipelines, the most recently changed first.",
    query: {
      search: searchParameter,
      categories: optional(inCommas({ about: "only pipelines of these categories, separated by commas" })),
      ...pageParameters,
    },
    answer: pipelineSchema,
    rowsIn: "data",
    examples: [{ title: "Those of logs", query: { categories: "logging" }, content: [pipelineExample], totalCount: 1 }],
    handle: async ({ metadata, scope, query }) => {
      const page = pageOf(query);
      const wanted = query.categories ?? [];
      const unknown = wanted.find((each) => !(categories as readonly string[]).includes(each));
      if (unknown !== undefined) throw invalidParameter("categories", `must be one of [${categories.join(", ")}]`);
      const anyTerm = wanted.map(categoryTerm);
      const question = { ...page, search: query.search ?? "", anyTerm };
      const { rows, totalCount } = await pipelines(metadata).list(scope, question);
      const defaults = await defaultPipelines(metadata, scope);
      return paged(
        rows.map((row) => pipelineRecord(scope, row, defaults)),
        page,
        totalCount,
      );
    },
  }),

  declare({
    name: "addPipeline",
    method: "POST",
    path: "/pipeline/add",
    ...ofPipelines,
    summary: "Makes a pipeline.",
    details: scriptNote,
    body: object({
      name,
      category,
      content,
      testData: optional(testData),
      source: optional(source),
      asDefault: optional(asDefault),
      isForce,
      extend: optional(extend),
    }),
    answer: pipelineSchema,
    examples: [
      {
        title: "A script for the logs of nginx",
        body: {
          name: pipelineExample.name,
          category: "logging",
          content: pipelineExample.content,
          testData: pipelineExample.testData,
          source: ["nginx"],
          asDefault: 0,
        },
        content: pipelineExample,
      },
    ],
    handle: async ({ metadata, services, scope, body }) => {
      checkTestData(body.testData ?? "", "testData");
      const others = await allPipelines(metadata, scope, [body.category]);
      await checkScripts(services.scripts, [{ ...body, member: "content" }], others);
      const uuid = newId("pl");
      if (body.asDefault === 1 && body.isForce !== true) {
        await refuseSecondDefault(metadata, scope, body.category, uuid);
      }
      const author = authorOf(scope);
      const document: PipelineDocument = {
        name: body.name,
        category: body.category,
        content: body.content,
        testData: body.testData ?? "",
        source: body.source ?? [],
        extend: body.extend ?? {},
        creator: author,
        updator: author,
      };
      try {
        const stored = await pipelines(metadata).create(scope, { uuid, ...foundBy(document), document });
        if (body.asDefault === 1) {
          try {
            await makeDefault(metadata, scope, { category: body.category, uuid, isForce: body.isForce ?? false });
          } catch (error) {
            await pipelines(metadata).remove(scope, uuid);
            throw error;
          }
        }
        return pipelineRecord(scope, stored, new Set(body.asDefault === 1 ? [uuid] : []));
      } catch (error) {
        throw error instanceof DuplicateRecord ? duplicated("name", body.name) : error;
      }
    },
  }),

  declare({
    name: "getPipeline",
    method: "GET",
    path: "/pipeline/{pipeline}/get",
    ...ofPipelines,
    ids: pipelineIds,
    summary: "Gets a pipeline.",
    answer: pipelineSchema,
    examples: [{ title: "A pipeline", ids: { pipeline: pipelineExample.uuid }, content: pipelineExample }],
    handle: async ({ metadata, scope, ids }) => {
      const stored = found(await pipelines(metadata).get(scope, ids.pipeline), ids.pipeline);
      return pipelineRecord(scope, stored, await defaultPipelines(metadata, scope));
    },
  }),

  declare({
    name: "modifyPipeline",
    method: "POST",
    path: "/pipeline/{pipeline}/modify",
    ...ofPipelines,
    ids: pipelineIds,
    summary: "Changes a pipeline.",
    details: `Members that are absent stay as they are. ${scriptNote}`,
    body: object({
      name: optional(name),
      category: optional(category),
      content: optional(content),
      testData: optional(testData),
      source: optional(source),
      asDefault: optional(asDefault),
      isForce,
      extend: optional(extend),
    }),
    answer: pipelineSchema,
    examples: [
      {
        title: "For other points",
        ids: { pipeline: pipelineExample.uuid },
        body: { source: ["nginx", "ingress"] },
        content: { ...pipelineExample, source: ["nginx", "ingress"], updateAt: pipelineExample.updateAt + 60 },
      },
    ],
    handle: async ({ metadata, services, scope, ids, body }) => {
      const uuid = ids.pipeline;
      const before = found(await pipelines(metadata).get(scope, uuid), uuid);
      checkTestData(body.testData ?? "", "testData");
      const wanted = changed(before.document, body);
      if (body.name !== undefined || body.category !== undefined || body.content !== undefined) {
        const others = (await allPipelines(metadata, scope, [wanted.category])).filter((each) => each.uuid !== uuid);
        await checkScripts(services.scripts, [{ ...wanted, member: "content" }], others);
      }
      const wasDefault = (await defaultPipelines(metadata, scope)).has(uuid);
      const isDefault = body.asDefault === undefined ? wasDefault : body.asDefault === 1;
      if (isDefault && body.isForce !== true) await refuseSecondDefault(metadata, scope, wanted.category, uuid);
      try {
        const decided = await pipelines(metadata).change(scope, uuid, ({ document }) => {
          const next = changed(document, body);
          if (JSON.stringify(next) === JSON.stringify(document)) return undefined;
          const after = { ...next, updator: authorOf(scope) };
          return { ...foundBy(after), document: after };
        });
        const change = found(decided, uuid);
        const moved = change.before.document.category !== change.after.document.category;
        if (wasDefault && (!isDefault || moved)) await unmakeDefault(metadata, scope, uuid);
        const { category: of } = change.after.document;
        if (isDefault) await makeDefault(metadata, scope, { category: of, uuid, isForce: body.isForce ?? false });
        return pipelineRecord(scope, change.after, new Set(isDefault ? [uuid] : []));
      } catch (error) {
        throw error instanceof DuplicateRecord ? duplicated("name", wanted.name) : error;
      }
    },
  }),
];

type Wanted = Partial<Pick<PipelineDocument, "name" | "category" | "content" | "testData" | "source" | "extend">>;

function changed(document: PipelineDocument, wanted: Wanted): PipelineDocument {
  return {
    ...document,
    name: wanted.name ?? document.name,
    category: wanted.category ?? document.category,
    content: wanted.content ?? document.content,
    testData: wanted.testData ?? document.testData,
    source: wanted.source ?? document.source,
    extend: wanted.extend ?? document.extend,
  };
}

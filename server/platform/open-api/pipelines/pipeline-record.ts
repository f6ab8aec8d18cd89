// A pipeline (a script that agents run over points), as it is stored and as it is returned to clients
// (docs/reference/open-api.md). For each category, a separate record says which pipeline is the default. So when
// two requests set the default at the same time, the later one notices the change of the earlier one.

import { type CategoryName, categories } from "../../../../lib/point/index.ts";
import { newId } from "../../metadata/ids.ts";
import type { Metadata } from "../../metadata/metadata.ts";
import { DuplicateRecord, type Records, type StoredRecord } from "../../metadata/records.ts";
import type { Scope } from "../../metadata/scope.ts";
import type { Author } from "../access/author.ts";
import { invalidParameter } from "../protocol/errors.ts";
import { ownMembers, ownValues } from "../protocol/own-members.ts";
import { anyObject, integer, type JsonObject, list, object, text, type ValueOf } from "../protocol/schema.ts";

/** The members that the declarations of all routes for pipelines share. */
export const ofPipelines = { group: "Pipelines", plural: ["pipeline"] } as const;

export const pipelineStatus = { enabled: 0, disabled: 2 } as const;

export interface PipelineDocument {
  readonly name: string;
  readonly category: CategoryName;
  /** The text of the script, encoded in base64. */
  readonly content: string;
  /** A JSON list of test data in base64, or an empty string. */
  readonly testData: string;
  readonly source: readonly string[];
  readonly extend: JsonObject;
  readonly creator: Author;
  readonly updator: Author;
}

export type StoredPipeline = StoredRecord<PipelineDocument>;

interface DefaultDocument {
  readonly name: string;
  /**
   * The identifier of the pipeline that is the category's default; an empty string when the category has no
   * default.
   */
  readonly pipeline: string;
}

/** Maximum length in characters of a script in base64. The same script without base64 is a quarter shorter. */
const maxContent = 349_528;

/** The members of a pipeline that clients send; the platform adds the others. */
export const pipelineMembers = {
  name: text({
    max: 256,
    pattern: "^[A-Za-z0-9_\\-\\u3400-\\u9fff\\uf900-\\ufaff]+$",
    about: "file name of the script, without the extension .p",
  }),
  category: text<CategoryName>({ oneOf: categories, about: "category of the points that the script processes" }),
  content: text({ max: maxContent, about: "the script, in base64" }),
  testData: text({ min: 0, max: maxContent, about: "test data for the script: a JSON list in base64" }),
  source: list(text({ max: 256 }), {
    about: "names of the points that the script processes, in addition to points named like the script",
  }),
  asDefault: integer({
    oneOf: [0, 1],
    about: "1: the script processes all points of the category that have no script of their own",
  }),
  extend: anyObject({ about: "any JSON object; the platform only stores it" }),
};

export const pipelineSchema = object({
  ...pipelineMembers,
  ...ownMembers("pl"),
  status: integer({ oneOf: [0, 2], about: "status of the pipeline: 0 enabled, 2 disabled" }),
});

export type PipelineRecord = ValueOf<typeof pipelineSchema>;

export function pipelineRecord(
  scope: Pick<Scope, "workspace">,
  stored: StoredPipeline,
  defaults: ReadonlySet<string>,
): PipelineRecord {
  const { category, content, extend, name, source, testData } = stored.document;
  const asDefault = defaults.has(stored.uuid) ? 1 : 0;
  const status = stored.status as 0 | 2;
  return { ...ownValues(scope, stored), asDefault, category, content, extend, name, source, status, testData };
}

export function pipelines(metadata: Metadata): Records<PipelineDocument> {
  return metadata.records<PipelineDocument>("pipeline");
}

function defaultRecords(metadata: Metadata): Records<DefaultDocument> {
  return metadata.records<DefaultDocument>("pipeline default");
}

/**
 * Returns the names and the terms (filter values) under which a pipeline is stored. A list of pipelines is
 * searched by the name and filtered by the terms. `uniqueName` prevents two pipelines of a category from having
 * the same name.
 */
export function foundBy({ name, category }: Pick<PipelineDocument, "name" | "category">) {
  return { name, uniqueName: `${category}/${name}`, terms: [categoryTerm(category)] };
}

export function categoryTerm(category: string): string {
  return `category:${category}`;
}

const pageSize = 1000;

/**
 * Returns the pipelines of the workspace, the most recently changed one first. `of`: the categories whose
 * pipelines are returned; an empty list means all categories.
 */
export async function allPipelines(
  metadata: Metadata,
  scope: Scope,
  of: readonly CategoryName[] = [],
): Promise<readonly StoredPipeline[]> {
  const all: StoredPipeline[] = [];
  for (let pageIndex = 1; ; pageIndex++) {
    const question = { anyTerm: of.map(categoryTerm), pageIndex, pageSize };
    const { rows } = await pipelines(metadata).list(scope, question);
    all.push(...rows);
    if (rows.length < pageSize) return all;
  }
}

/** Returns the identifiers of the default pipelines of all categories. */
export async function defaultPipelines(metadata: Metadata, scope: Scope): Promise<ReadonlySet<string>> {
  const { rows } = await defaultRecords(metadata).list(scope, { pageIndex: 1, pageSize: categories.length });
  return new Set(rows.map(({ document }) => document.pipeline).filter((uuid) => uuid !== ""));
}

/**
 * Throws an error when the category already has another default pipeline. A default pipeline that was deleted
 * does not count.
 */
export async function refuseSecondDefault(
  metadata: Metadata,
  scope: Scope,
  category: CategoryName,
  own: string,
): Promise<void> {
  const stored = await defaultRecords(metadata).byName(scope, category);
  const other = stored === undefined ? "" : stored.document.pipeline;
  if (other === "" || other === own) return;
  const found = await pipelines(metadata).get(scope, other);
  if (found?.document.category !== category) return;
  const message = `${category} has the default "${found.document.name}"; isForce replaces it`;
  throw invalidParameter("asDefault", message);
}

/**
 * Makes a pipeline the default of its category. If the category already has another default pipeline, replaces
 * it when `isForce` is set, and otherwise throws an error.
 */
export async function makeDefault(
  metadata: Metadata,
  scope: Scope,
  { category, uuid, isForce }: { readonly category: CategoryName; readonly uuid: string; readonly isForce: boolean },
): Promise<void> {
  const records = defaultRecords(metadata);
  const wanted = { name: category, uniqueName: category, document: { name: category, pipeline: uuid } };
  for (;;) {
    const stored = await records.byName(scope, category);
    if (stored === undefined) {
      try {
        await records.create(scope, { uuid: newId("pldf"), ...wanted });
        return;
      } catch (error) {
        // In the meantime, another request has created the record that says which pipeline is the category's default.
        // So
        // the loop starts again and reads this record.
        if (!(error instanceof DuplicateRecord)) throw error;
        continue;
      }
    }
    if (!isForce) await refuseSecondDefault(metadata, scope, category, uuid);
    let isDone = false;
    await records.change(scope, stored.uuid, ({ document: { pipeline } }) => {
      // If another request has set a different default in the meantime, this write changes nothing. The loop then
      // starts again and checks the new default.
      isDone = isForce || pipeline === uuid || pipeline === stored.document.pipeline;
      return isDone && pipeline !== uuid ? wanted : undefined;
    });
    if (isDone) return;
  }
}

/** Ensures that a pipeline is no longer the default of any category. */
export async function unmakeDefault(metadata: Metadata, scope: Scope, uuid: string): Promise<void> {
  const records = defaultRecords(metadata);
  const { rows } = await records.list(scope, { pageIndex: 1, pageSize: categories.length });
  for (const { uuid: own } of rows) {
    await records.change(scope, own, ({ document }) => {
      if (document.pipeline !== uuid) return undefined;
      const { name } = document;
      return { name, uniqueName: name, document: { name, pipeline: "" } };
    });
  }
}

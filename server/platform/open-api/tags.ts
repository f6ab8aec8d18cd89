// The tags of a workspace. A tag is created when a dashboard uses its name for the first time.

import { newId } from "../metadata/ids.ts";
import type { Metadata } from "../metadata/metadata.ts";
import type { Scope } from "../metadata/scope.ts";
import { columnText } from "../metadata/text.ts";
import type { Tag } from "./dashboards/dashboard-record.ts";

interface TagDocument {
  readonly name: string;
}

/**
 * Returns the tags with the given names, without duplicates, in the order of the names. Creates the tags that do
 * not exist yet.
 */
export async function tagsNamed(metadata: Metadata, scope: Scope, names: readonly string[]): Promise<readonly Tag[]> {
  const records = metadata.records<TagDocument>("tag");
  const stored = await records.named(scope, names.map(columnText), (name) => ({
    uuid: newId("tag"),
    name,
    uniqueName: name,
    document: { name },
  }));
  return stored.map(({ uuid, document: { name } }) => ({ id: uuid, name }));
}

/** Returns the term (filter value) of a tag. Lists of dashboards that have this tag are found by the term. */
export function tagTerm(name: string): string {
  return `tag:${columnText(name)}`;
}

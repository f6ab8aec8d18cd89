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
 * Returns the tags with the given names, in the order in which the names are given and without duplicates. Creates
 * missing tags.
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

/** Returns the term (filter value) of a tag. A list of dashboards is filtered by this term. */
export function tagTerm(name: string): string {
  return `tag:${columnText(name)}`;
}

// The tags of a workspace. A tag that a dashboard names for the first time is made then.

import { newId } from "../metadata/ids.ts";
import type { Metadata } from "../metadata/metadata.ts";
import type { Scope } from "../metadata/scope.ts";
import { columnText } from "../metadata/text.ts";
import type { Tag } from "./dashboards/dashboard-record.ts";

interface TagDocument {
  readonly name: string;
}

/** In the order of the names, each once. */
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

/** By which dashboards are found. */
export function tagTerm(name: string): string {
  return `tag:${columnText(name)}`;
}

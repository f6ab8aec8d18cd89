// The tags of a workspace. A tag that a dashboard names for the first time is made then.

import { newId } from "../metadata/ids.ts";
import type { Metadata } from "../metadata/metadata.ts";
import { DuplicateRecord } from "../metadata/records.ts";
import type { Scope } from "../metadata/scope.ts";
import type { Tag } from "./dashboard-record.ts";

interface TagDocument {
  readonly name: string;
}

/** In the order of the names, each once. */
export async function tagsNamed(metadata: Metadata, scope: Scope, names: readonly string[]): Promise<readonly Tag[]> {
  const tags: Tag[] = [];
  for (const name of new Set(names)) tags.push(await tagNamed(metadata, scope, name));
  return tags;
}

async function tagNamed(metadata: Metadata, scope: Scope, name: string): Promise<Tag> {
  const records = metadata.records<TagDocument>("tag");
  for (;;) {
    const stored = await records.byName(scope, name);
    if (stored !== undefined) return { id: stored.uuid, name };
    try {
      const made = await records.create(scope, { uuid: newId("tag"), name, uniqueName: name, document: { name } });
      return { id: made.uuid, name };
    } catch (error) {
      // Another request has made it in between.
      if (!(error instanceof DuplicateRecord)) throw error;
    }
  }
}

/** By which dashboards are found. */
export function tagTerm(name: string): string {
  return `tag:${name}`;
}

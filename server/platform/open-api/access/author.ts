// The author of an object, that is, the API key that created or last changed it
// (docs/reference/open-api.md#a-key).

import type { Scope } from "../../metadata/scope.ts";
import { object, text, type ValueOf } from "../protocol/schema.ts";

/** The author as stored with the object. `name` is the name that the API key had when it made the change. */
export interface Author {
  readonly uuid: string;
  readonly name: string;
}

export const authorInfoSchema = object({
  email: text({ min: 0 }),
  iconUrl: text({ min: 0 }),
  name: text({ min: 0 }),
  username: text(),
});

export function authorOf({ actor: { uuid, name } }: Scope): Author {
  return { uuid, name };
}

export function authorInfo({ uuid, name }: Author): ValueOf<typeof authorInfoSchema> {
  return { email: "", iconUrl: "", name, username: `AK(${uuid})` };
}

// Writes answers as JSON in which 64-bit integers keep all their digits. JSON.stringify cannot write such
// integers.

import { type DqlValue, valueJson } from "../../../../lib/dql/index.ts";

/** JSON text that exists already. It is inserted into an answer without changes. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Exact = DqlValue | { readonly [name: string]: Exact };

export function exactJson(value: Exact): string {
  if (value === null || typeof value !== "object" || value instanceof Uint8Array || Array.isArray(value)) {
    return valueJson(value as DqlValue);
  }
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}:${exactJson(member)}`);
  return `{${members.join(",")}}`;
}

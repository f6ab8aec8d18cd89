// Answers whose numbers have 64 bits: written out exactly, which JSON.stringify cannot.

import { type DqlValue, valueJson } from "../../../../lib/dql/index.ts";

/** JSON text that is put into an answer as it is. */
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

// Provides the values of a request to conditions: the pairs of its header X-Global-Tags, and its path as the value of
// an implicit key (docs/reference/gateway.md#the-header).

import type { Subject } from "../filter/condition.ts";
import type { Key } from "../point/view.ts";
import { parseHeader } from "./header.ts";

const underscore = 0x5f;
const apiKey = /^__[a-z0-9]+_api$/;

/** Returns whether the key is the implicit key whose value is the path of the request. */
export function isPathKey(key: string): boolean {
  return key.charCodeAt(0) === underscore && apiKey.test(key);
}

export class HeaderSubject implements Subject {
  /** The pairs of the header X-Global-Tags, without the implicit key for the request's path. */
  readonly pairs: ReadonlyMap<string, string>;
  readonly path: string;

  constructor(header: string, path: string) {
    this.pairs = parseHeader(header);
    this.path = path;
  }

  get(key: Key): string | undefined {
    const { text } = key;
    return isPathKey(text) ? this.path : this.pairs.get(text);
  }
}

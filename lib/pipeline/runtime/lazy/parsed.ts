// Values that JavaScript's JSON.parse returned, as script values. A member of an object is converted only when a script
// reads it.

import { Float } from "../../../point/value.ts";
import { compareBytes, type Value } from "../value.ts";
import { LazyMap } from "./lazy-map.ts";

type Members = Readonly<Record<string, unknown>>;

class ParsedMap extends LazyMap {
  private readonly members: Members;
  /** The lists and maps that were read before, by key, so that every read returns the same object. */
  private opened: Map<string, Value> | null = null;

  constructor(members: Members) {
    super();
    this.members = members;
  }

  protected find(key: string): Value | undefined {
    const { members } = this;
    if (!Object.hasOwn(members, key)) return undefined;
    const member = members[key];
    if (typeof member !== "object" || member === null) return scalar(member);
    const known = this.opened?.get(key);
    if (known !== undefined) return known;
    const value = lazyValue(member);
    this.opened ??= new Map();
    this.opened.set(key, value);
    return value;
  }

  protected addTo(table: Map<string, Value>): void {
    for (const key of Object.keys(this.members)) table.set(key, this.find(key)!);
  }

  protected count(): number {
    return Object.keys(this.members).length;
  }

  protected sorted(): readonly string[] {
    return Object.keys(this.members).sort(compareBytes);
  }
}

/**
 * Converts a value that JavaScript's JSON.parse returned to a script value. The caller must have checked the whole
 * document with `hasFiniteNumbers`.
 */
export function lazyValue(json: unknown): Value {
  if (typeof json !== "object" || json === null) return scalar(json);
  return Array.isArray(json) ? json.map(lazyValue) : new ParsedMap(json as Members);
}

function scalar(json: unknown): Value {
  return typeof json === "number" ? new Float(json) : (json as string | boolean | null);
}

/** Returns whether all numbers of a parsed JSON document are finite. */
export function hasFiniteNumbers(json: unknown): boolean {
  if (typeof json === "number") return Number.isFinite(json);
  if (typeof json !== "object" || json === null) return true;
  if (Array.isArray(json)) return json.every(hasFiniteNumbers);
  for (const key in json) if (!hasFiniteNumbers((json as Members)[key])) return false;
  return true;
}

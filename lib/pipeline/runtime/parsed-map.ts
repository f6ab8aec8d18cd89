// A map parsed from JSON. A member is converted to a script value only when it is read, because scripts mostly read few
// members. An operation that needs more than one member converts all members and turns the object into an ordinary map.

import { Float } from "../../point/value.ts";
import { type Found, IndexedJson } from "./json-index.ts";
import type { Value } from "./value.ts";

type Members = Readonly<Record<string, unknown>>;

export class ParsedMap extends Map<string, Value> {
  /**
   * The members that are not converted yet: as JavaScript's JSON.parse returned them, or as positions in the JSON text.
   * Null after all members have been converted and stored in the map.
   */
  private members: Members | IndexedJson | null;
  /** The lists and maps that were read before, by key, so that every read returns the same object. */
  private opened: Map<string, Value> | null = null;

  constructor(members: Members | IndexedJson) {
    super();
    this.members = members;
  }

  override get(key: string): Value | undefined {
    const { members } = this;
    if (members === null) return super.get(key);
    const known = this.opened?.get(key);
    if (known !== undefined) return known;
    let value: Value;
    if (members instanceof IndexedJson) {
      if (!isAscii(key)) return this.fill().get(key);
      const found = members.member(key);
      if (found === undefined) return undefined;
      if (!(found instanceof IndexedJson)) return found;
      value = foundValue(found);
    } else {
      if (!Object.hasOwn(members, key)) return undefined;
      const member = members[key];
      if (typeof member !== "object" || member === null) return scalar(member);
      value = lazyValue(member);
    }
    this.opened ??= new Map();
    this.opened.set(key, value);
    return value;
  }

  override has(key: string): boolean {
    return this.get(key) !== undefined;
  }

  override get size(): number {
    return this.fill().sizeNow;
  }

  override set(key: string, value: Value): this {
    this.fill();
    return super.set(key, value);
  }

  override delete(key: string): boolean {
    this.fill();
    return super.delete(key);
  }

  override clear(): void {
    this.members = null;
    super.clear();
  }

  override forEach(callback: (value: Value, key: string, map: Map<string, Value>) => void, self?: unknown): void {
    this.fill();
    super.forEach(callback, self);
  }

  override entries(): MapIterator<[string, Value]> {
    this.fill();
    return super.entries();
  }

  override keys(): MapIterator<string> {
    this.fill();
    return super.keys();
  }

  override values(): MapIterator<Value> {
    this.fill();
    return super.values();
  }

  override [Symbol.iterator](): MapIterator<[string, Value]> {
    return this.entries();
  }

  private get sizeNow(): number {
    return super.size;
  }

  private fill(): this {
    if (this.members === null) return this;
    const { members, opened } = this;
    this.members = null;
    this.opened = null;
    if (members instanceof IndexedJson)
      members.forEachMember((name, found) => super.set(name, opened?.get(name) ?? foundValue(found)));
    else for (const key of Object.keys(members)) super.set(key, opened?.get(key) ?? lazyValue(members[key]));
    return this;
  }
}

/** Converts a value that was found in a JSON text to a script value. */
export function foundValue(found: Found): Value {
  if (!(found instanceof IndexedJson)) return found;
  return found.isMap ? new ParsedMap(found) : found.elements().map(foundValue);
}

function isAscii(key: string): boolean {
  for (let at = 0; at < key.length; at++) if (key.charCodeAt(at) >= 0x80) return false;
  return true;
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

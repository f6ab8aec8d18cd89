// A map that came from JSON: its members become values of the language when they are asked for, since scripts mostly ask for few of them.
// Whatever asks for more than one member makes it a map like any other.

import { Float } from "../point/value.ts";
import type { Value } from "./value.ts";

type Members = Readonly<Record<string, unknown>>;

export class ParsedMap extends Map<string, Value> {
  /** As the host parsed them; null once all are in the map. */
  private members: Members | null;
  /** Containers that were asked for, since they are one thing each. */
  private opened: Map<string, Value> | null = null;

  constructor(members: Members) {
    super();
    this.members = members;
  }

  override get(key: string): Value | undefined {
    const { members } = this;
    if (members === null) return super.get(key);
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

  override has(key: string): boolean {
    return this.members === null ? super.has(key) : Object.hasOwn(this.members, key);
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
    const { members } = this;
    if (members === null) return this;
    const values = Object.keys(members).map((key) => [key, this.get(key)!] as const);
    this.members = null;
    this.opened = null;
    for (const [key, value] of values) super.set(key, value);
    return this;
  }
}

/** The value of what the host parsed. The document was found sound before: see `isSound`. */
export function lazyValue(json: unknown): Value {
  if (typeof json !== "object" || json === null) return scalar(json);
  return Array.isArray(json) ? json.map(lazyValue) : new ParsedMap(json as Members);
}

function scalar(json: unknown): Value {
  return typeof json === "number" ? new Float(json) : (json as string | boolean | null);
}

/** Whether all numbers of a document are finite. */
export function hasFiniteNumbers(json: unknown): boolean {
  if (typeof json === "number") return Number.isFinite(json);
  if (typeof json !== "object" || json === null) return true;
  if (Array.isArray(json)) return json.every(hasFiniteNumbers);
  for (const key in json) if (!hasFiniteNumbers((json as Members)[key])) return false;
  return true;
}

// Regular expressions of the RE2 dialect over text: the one interface the rest of the library knows. Matches are
// leftmost-first; offsets are UTF-16 indexes (grok document, section 3).

import { hostAgrees, hostSource } from "./host.ts";
import { type ParseOptions, parse } from "./parse.ts";
import { Pike } from "./pike.ts";
import { compileProgram } from "./program.ts";
import type { Node } from "./syntax.ts";

export { RegexSyntaxError } from "./syntax.ts";
export type Span = readonly [start: number, end: number];

export interface RegexMatch {
  readonly start: number;
  readonly end: number;
  /** By group number, 0 the whole match; null for a group that took no part. */
  readonly groups: readonly (Span | null)[];
}

export interface Regex {
  /** Names by group number, null for a group without one; 0 is the whole match. */
  readonly names: readonly (string | null)[];
  test(text: string): boolean;
  /** The leftmost match that starts at `from` or later. */
  exec(text: string, from?: number): RegexMatch | null;
  /** Like `exec`, but the texts of the groups, undefined for one that took no part. */
  captures(text: string): readonly (string | undefined)[] | null;
  /** Every match replaced by the template, in which `$1`, `${1}`, `$name` and `${name}` stand for groups, `$$` for `$`. */
  replace(text: string, template: string): string;
}

/** Throws RegexSyntaxError. */
export function compileRegex(source: string, options: ParseOptions = {}): Regex {
  const { root, names } = parse(source, options);
  const engine = hostAgrees(root) ? new HostEngine(root) : new PikeEngine(root, names.length);
  return new EngineRegex(engine, names);
}

interface Engine {
  test(text: string): boolean;
  exec(text: string, from: number): readonly (Span | null)[] | null;
  captures(text: string): readonly (string | undefined)[] | null;
}

class HostEngine implements Engine {
  private readonly plain: RegExp;
  private readonly source: string;
  private indexed: RegExp | null = null;

  constructor(root: Node) {
    this.source = hostSource(root);
    this.plain = new RegExp(this.source, "u");
  }

  test(text: string): boolean {
    return this.plain.test(text);
  }

  captures(text: string): readonly (string | undefined)[] | null {
    return this.plain.exec(text);
  }

  exec(text: string, from: number): readonly (Span | null)[] | null {
    this.indexed ??= new RegExp(this.source, "dgu");
    this.indexed.lastIndex = from;
    const match = this.indexed.exec(text);
    if (match?.indices === undefined) return null;
    return Array.from(match.indices, (span: Span | undefined) => span ?? null);
  }
}

const encoder = new TextEncoder();

class PikeEngine implements Engine {
  private readonly pike: Pike;
  private readonly slots: Int32Array;

  constructor(root: Node, groups: number) {
    this.pike = new Pike(compileProgram(root, groups, { captures: true }));
    this.slots = new Int32Array(this.pike.slots);
  }

  test(text: string): boolean {
    const bytes = encoder.encode(text);
    return this.pike.test(bytes, 0, bytes.length, 0);
  }

  exec(text: string, from: number): readonly (Span | null)[] | null {
    const bytes = encoder.encode(text);
    const before = encoder.encode(text.slice(0, from)).length;
    if (!this.pike.exec(bytes, 0, bytes.length, before, this.slots)) return null;
    const units = bytes.length === text.length ? null : unitOffsets(bytes);
    const place = (offset: number): number => (units === null ? offset : (units[offset] as number));
    const result: (Span | null)[] = [];
    for (let i = 0; i < this.slots.length; i += 2) {
      const [start, end] = [this.slots[i] as number, this.slots[i + 1] as number];
      result.push(start < 0 || end < 0 ? null : [place(start), place(end)]);
    }
    return result;
  }

  captures(text: string): readonly (string | undefined)[] | null {
    return this.exec(text, 0)?.map((span) => (span === null ? undefined : text.slice(span[0], span[1]))) ?? null;
  }
}

/** The UTF-16 index of every byte offset of a text. */
function unitOffsets(bytes: Uint8Array): Int32Array {
  const offsets = new Int32Array(bytes.length + 1);
  let unit = 0;
  bytes.forEach((byte, at) => {
    offsets[at] = unit;
    if ((byte & 0xc0) !== 0x80) unit += byte >= 0xf0 ? 2 : 1;
  });
  offsets[bytes.length] = unit;
  return offsets;
}

class EngineRegex implements Regex {
  readonly names: readonly (string | null)[];
  private readonly engine: Engine;

  constructor(engine: Engine, names: readonly (string | null)[]) {
    this.engine = engine;
    this.names = names;
  }

  test(text: string): boolean {
    return this.engine.test(text);
  }

  exec(text: string, from = 0): RegexMatch | null {
    const groups = this.engine.exec(text, from);
    const whole = groups?.[0];
    return groups === null || whole === null || whole === undefined ? null : { start: whole[0], end: whole[1], groups };
  }

  captures(text: string): readonly (string | undefined)[] | null {
    return this.engine.captures(text);
  }

  replace(text: string, template: string): string {
    const parts = parseTemplate(template);
    let result = "";
    let copied = 0;
    let last = -1;
    for (let from = 0; from <= text.length; ) {
      const match = this.exec(text, from);
      if (match === null) break;
      // An empty match right behind the previous match does not count.
      if (match.end > match.start || match.start > last) {
        result += text.slice(copied, match.start);
        for (const part of parts) result += typeof part === "string" ? part : this.group(text, match, part.group);
        copied = match.end;
        last = match.end;
      }
      from = match.end > match.start ? match.end : match.end + ((text.codePointAt(match.end) ?? 0) > 0xffff ? 2 : 1);
    }
    return result + text.slice(copied);
  }

  private group(text: string, match: RegexMatch, reference: string): string {
    const numbered = /^(?:0|[1-9]\d*)$/.test(reference);
    const span = numbered
      ? match.groups[Number(reference)]
      : match.groups.find((group, index) => group !== null && this.names[index] === reference);
    return span === null || span === undefined ? "" : text.slice(span[0], span[1]);
  }
}

/** Go's Expand: the longest run of letters, digits and underscores is the name; a `$` that begins none stands for itself. */
function parseTemplate(template: string): (string | { readonly group: string })[] {
  const parts: (string | { readonly group: string })[] = [];
  let copied = 0;
  for (const match of template.matchAll(/\$(?:\$|([\p{L}\p{Nd}_]+)|\{([\p{L}\p{Nd}_]+)\})/gu)) {
    parts.push(template.slice(copied, match.index));
    const group = match[1] ?? match[2];
    parts.push(group === undefined ? "$" : { group });
    copied = match.index + match[0].length;
  }
  parts.push(template.slice(copied));
  return parts;
}

// Compiles the tree to the instructions of a Thompson automaton over bytes, from the end to the start. Loops have the
// layout of Go's regexp/syntax, because captures of empty loop bodies depend on it (grok document, section 3.1). Depth
// of recursion is bounded by the parser's limit of 1000 levels.

import { contains } from "../syntax/char-class.ts";
import type { Leaf, Node, Place, Ranges } from "../syntax/tree.ts";
import { type ByteAutomaton, byteAutomaton } from "./byte-class.ts";
import { planSlots, type SlotSource } from "./slots.ts";

/** The instructions; `a` and `b` are their operands. */
export const op = {
  /** Consumes a byte. The transitions of this instruction are `steps[a]` to `steps[b]`, three words each: lo, hi, next. */
  bytes: 0,
  /** Continues at `a` by preference, else at `b`. */
  split: 1,
  /** Stores the position as tag `b` and continues at `a`. */
  tag: 2,
  /** Continues at `a` when the assertion of kind `b` (`^`, `\b` and so on) holds at the position. */
  assert: 3,
  match: 4,
  /** Consumes a character of set `b` and continues at `a`; replaces `bytes` in programs of characters. */
  set: 5,
} as const;

export const place: Readonly<Record<Place, number>> = {
  textStart: 1,
  textEnd: 2,
  lineStart: 4,
  lineEnd: 8,
  word: 16,
  notWord: 32,
};

/** The mirrored assertion for each assertion, for programs that read backward. */
const mirrored: Readonly<Record<Place, Place>> = {
  textStart: "textEnd",
  textEnd: "textStart",
  lineStart: "lineEnd",
  lineEnd: "lineStart",
  word: "word",
  notWord: "notWord",
};

export interface Program {
  readonly ops: Uint8Array;
  readonly a: Int32Array;
  readonly b: Int32Array;
  readonly steps: Int32Array;
  readonly start: number;
  readonly tags: number;
  /** Where the offset of each slot comes from; a group has two slots, for its start and its end. */
  readonly slots: readonly SlotSource[];
  /** Sets of characters; empty in programs of bytes. */
  readonly sets: readonly CharacterSet[];
  /** Mask of the kinds of assertions (`^`, `$`, `\b` and so on) that the expression has. */
  readonly places: number;
  /** For each instruction that consumes or asserts: the leaf of the expression that it was made from. */
  readonly leaves: readonly (Leaf | undefined)[];
  /**
   * For every set of characters of the expression, a number for each byte: the set does not distinguish bytes with the
   * same number.
   */
  readonly partitions: ReadonlySet<Uint8Array>;
}

/**
 * A set of code points that remembers its last answer, because hundreds of instructions ask one set about the current
 * character.
 */
export class CharacterSet {
  private readonly ranges: Ranges;
  private asked = -1;
  private answer = false;

  constructor(ranges: Ranges) {
    this.ranges = ranges;
  }

  has(codePoint: number): boolean {
    if (codePoint !== this.asked) {
      this.asked = codePoint;
      this.answer = codePoint >= 0 && contains(this.ranges, codePoint);
    }
    return this.answer;
  }
}

export interface CompileOptions {
  /** Whether groups are captured; without captures only the whole match has slots. */
  readonly captures: boolean;
  /** Whether the program reads texts from the end; only without captures. */
  readonly backward?: boolean;
  /** Whether one instruction consumes a whole character, so that large expressions stay within bounds. */
  readonly characters?: boolean;
}

export function compileProgram(
  root: Node,
  groups: number,
  { captures, backward = false, characters = false }: CompileOptions,
): Program {
  const ops: number[] = [];
  const a: number[] = [];
  const b: number[] = [];
  const steps: number[] = [];
  let places = 0;
  const plan = planSlots(captures ? root : withoutCaptures, captures ? groups : 1);
  const leaves: (Leaf | undefined)[] = [];
  const automata = new Map<Ranges, ByteAutomaton>();
  const partitions = new Set<Uint8Array>();
  const sets = new Map<Ranges, number>();

  function put(code: number, first: number, second: number): number {
    a.push(first);
    b.push(second);
    return ops.push(code) - 1;
  }

  function choice(greedy: boolean, body: number, next: number): number {
    return greedy ? put(op.split, body, next) : put(op.split, next, body);
  }

  function tag(slot: number, next: number): number {
    const index = plan.tagOf.get(slot);
    return index === undefined ? next : put(op.tag, next, index);
  }

  function character(ranges: Ranges, next: number): number {
    if (characters) {
      const known = sets.get(ranges);
      if (known === undefined) sets.set(ranges, sets.size);
      return put(op.set, next, known ?? sets.size - 1);
    }
    let automaton = automata.get(ranges);
    if (automaton === undefined) {
      automaton = byteAutomaton(ranges, backward);
      automata.set(ranges, automaton);
    }
    const { nodes, partition } = automaton;
    partitions.add(partition);
    const base = ops.length;
    for (const node of nodes) {
      const from = steps.length;
      for (const { lo, hi, to } of node) steps.push(lo, hi, to < 0 ? next : base + to);
      put(op.bytes, from, steps.length);
    }
    return base;
  }

  /** Emits the body once, followed by a jump back to it; the body is not copied. */
  function plus(sub: Node, greedy: boolean, next: number): { body: number; loop: number } {
    const loop = put(op.split, next, next);
    const body = emit(sub, loop);
    if (greedy) a[loop] = body;
    else b[loop] = body;
    return { body, loop };
  }

  function repeat(sub: Node, min: number, max: number, greedy: boolean, next: number): number {
    if (max === 0) return next;
    let start = next;
    if (max < 0) {
      const { body, loop } = plus(sub, greedy, next);
      if (min === 0) return nullable(sub) ? choice(greedy, body, next) : loop;
      start = body;
      for (let i = 1; i < min; i++) start = emit(sub, start);
      return start;
    }
    for (let i = min; i < max; i++) start = choice(greedy, emit(sub, start), next);
    for (let i = 0; i < min; i++) start = emit(sub, start);
    return start;
  }

  function emit(node: Node, next: number): number {
    switch (node.op) {
      case "empty":
        return next;
      case "class": {
        const at = character(node.ranges, next);
        for (let pc = at; pc < ops.length; pc++) leaves[pc] = node;
        return at;
      }
      case "assert": {
        const kind = place[backward ? mirrored[node.place] : node.place];
        places |= kind;
        leaves[ops.length] = node;
        return put(op.assert, next, kind);
      }
      case "capture":
        return captures ? tag(node.index * 2, emit(node.sub, tag(node.index * 2 + 1, next))) : emit(node.sub, next);
      case "concat": {
        let at = next;
        if (backward) for (let i = 0; i < node.subs.length; i++) at = emit(node.subs[i] as Node, at);
        else for (let i = node.subs.length - 1; i >= 0; i--) at = emit(node.subs[i] as Node, at);
        return at;
      }
      case "alternate": {
        let at = emit(node.subs.at(-1) as Node, next);
        for (let i = node.subs.length - 2; i >= 0; i--) at = put(op.split, emit(node.subs[i] as Node, next), at);
        return at;
      }
      case "repeat":
        return repeat(node.sub, node.min, node.max, node.greedy, next);
    }
  }

  const start = emit(root, put(op.match, 0, 0));
  return {
    ops: Uint8Array.from(ops),
    a: Int32Array.from(a),
    b: Int32Array.from(b),
    steps: Int32Array.from(steps),
    start,
    tags: plan.tags,
    slots: plan.sources,
    sets: Array.from(sets.keys(), (ranges) => new CharacterSet(ranges)),
    places,
    leaves,
    partitions,
  };
}

const withoutCaptures: Node = { op: "empty", height: 1 };

/** Fills the slots of a match that ended at `end`; `positions` are its start and its tags, -1 for a tag that was not passed. */
export function fillSlots(program: Program, end: number, positions: Int32Array, at: number, slots: Int32Array): void {
  program.slots.forEach(({ base, distance }, i) => {
    if (base === 0) slots[i] = end + distance;
    else {
      const position = base < 0 ? -1 : (positions[at + base - 1] as number);
      slots[i] = position < 0 ? -1 : position + distance;
    }
  });
}

/** Returns the instruction that an instruction leads to with a byte (in a program of characters: a code point); -1 for none. */
export function target({ ops, steps, sets, a, b }: Program, pc: number, unit: number): number {
  const stop = b[pc] as number;
  if (ops[pc] === op.set) return (sets[stop] as CharacterSet).has(unit) ? (a[pc] as number) : -1;
  for (let i = a[pc] as number; i < stop; i += 3)
    if (unit >= (steps[i] as number) && unit <= (steps[i + 1] as number)) return steps[i + 2] as number;
  return -1;
}

const answers = new WeakMap<Node, boolean>();

/** Returns whether the node can match without consuming anything. */
export function nullable(node: Node): boolean {
  let answer = answers.get(node);
  if (answer === undefined) {
    answer = isNullable(node);
    answers.set(node, answer);
  }
  return answer;
}

function isNullable(node: Node): boolean {
  switch (node.op) {
    case "empty":
    case "assert":
      return true;
    case "class":
      return false;
    case "capture":
      return nullable(node.sub);
    case "concat":
      return node.subs.every(nullable);
    case "alternate":
      return node.subs.some(nullable);
    case "repeat":
      return node.min === 0 || nullable(node.sub);
  }
}

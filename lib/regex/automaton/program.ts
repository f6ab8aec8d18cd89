// Compiles the syntax tree of an expression to instructions of a Thompson automaton over bytes; the instructions
// for the end of the expression are made first. Loops have the layout of Go's regexp/syntax, because captures in
// empty loop bodies depend on it (docs/reference/grok.md#regular-expressions). The parser limits the nesting to
// 1000 levels, and so limits the recursion of the compiler.

import { contains } from "../syntax/char-class.ts";
import type { Leaf, Node, Place, Ranges } from "../syntax/tree.ts";
import { type ByteAutomaton, byteAutomaton } from "./byte-class.ts";
import { planSlots, type SlotPlan, type SlotSource } from "./slots.ts";

/** The codes of the instructions; `a` and `b` are the operands of an instruction. */
export const op = {
  /**
   * Consumes a byte. `steps[a]` to `steps[b]` are the allowed byte ranges, each of three words: lowest byte, highest
   * byte, next instruction.
   */
  bytes: 0,
  /** Continues at both instructions `a` and `b`; a match through `a` is preferred. */
  split: 1,
  /** Stores the current position as capture tag `b`, and continues at `a`. */
  tag: 2,
  /** Continues at `a` when the assertion `b` (`^`, `\b` and so on) holds at the current position. */
  assert: 3,
  match: 4,
  /**
   * Consumes a character of the set `b` and continues at `a`. Programs that read characters have this instruction
   * instead of `bytes`.
   */
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

/** For each assertion: the assertion that takes its place in a program that reads backward. */
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
  /**
   * For each slot (start or end offset of a group), how it is computed: a position of the match and a distance from it.
   */
  readonly slots: readonly SlotSource[];
  /** Sets of characters for the instruction `set`; empty in programs that read bytes. */
  readonly sets: readonly CharacterSet[];
  /** Mask of the kinds of assertions (`^`, `\b` and so on) that occur in the program. */
  readonly places: number;
  /**
   * For each instruction that consumes a character or tests an assertion, the leaf of the syntax tree (a character,
   * class or assertion) from which the instruction was made.
   */
  readonly leaves: readonly (Leaf | undefined)[];
  /**
   * For each set of characters in the expression, a numbering of the 256 bytes. When a byte in a character of the set
   * is replaced by a byte with the same number, the result is a character of the set, too.
   */
  readonly partitions: ReadonlySet<Uint8Array>;
}

/**
 * A set of code points that caches its last answer, because hundreds of instructions test the same character one after
 * the other.
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
  /** Whether groups are captured; otherwise only the whole match has slots (offsets). */
  readonly captures: boolean;
  /** Whether the program reads texts from the end; this is possible only without captures. */
  readonly backward?: boolean;
  /** Whether an instruction consumes a character instead of a byte, so that large expressions fit the limits. */
  readonly characters?: boolean;
}

export function compileProgram(root: Node, groups: number, options: CompileOptions): Program {
  const { captures } = options;
  const plan = planSlots(captures ? root : withoutCaptures, captures ? groups : 1);
  return new ProgramCompiler(plan, options).compile(root);
}

const withoutCaptures: Node = { op: "empty", height: 1 };

/**
 * Compiles a syntax tree. Each method with the parameter `next` adds the instructions of one node and returns the index
 * of the first one. These instructions lead to the instruction `next`.
 */
class ProgramCompiler {
  private readonly ops: number[] = [];
  private readonly a: number[] = [];
  private readonly b: number[] = [];
  private readonly steps: number[] = [];
  private places = 0;
  private readonly leaves: (Leaf | undefined)[] = [];
  private readonly automata = new Map<Ranges, ByteAutomaton>();
  private readonly partitions = new Set<Uint8Array>();
  private readonly sets = new Map<Ranges, number>();
  private readonly plan: SlotPlan;
  private readonly captures: boolean;
  private readonly backward: boolean;
  private readonly characters: boolean;

  constructor(plan: SlotPlan, { captures, backward = false, characters = false }: CompileOptions) {
    this.plan = plan;
    this.captures = captures;
    this.backward = backward;
    this.characters = characters;
  }

  compile(root: Node): Program {
    const start = this.emit(root, this.put(op.match, 0, 0));
    return {
      ops: Uint8Array.from(this.ops),
      a: Int32Array.from(this.a),
      b: Int32Array.from(this.b),
      steps: Int32Array.from(this.steps),
      start,
      tags: this.plan.tags,
      slots: this.plan.sources,
      sets: Array.from(this.sets.keys(), (ranges) => new CharacterSet(ranges)),
      places: this.places,
      leaves: this.leaves,
      partitions: this.partitions,
    };
  }

  private emit(node: Node, next: number): number {
    switch (node.op) {
      case "empty":
        return next;
      case "class": {
        const at = this.character(node.ranges, next);
        for (let pc = at; pc < this.ops.length; pc++) this.leaves[pc] = node;
        return at;
      }
      case "assert": {
        const kind = place[this.backward ? mirrored[node.place] : node.place];
        this.places |= kind;
        this.leaves[this.ops.length] = node;
        return this.put(op.assert, next, kind);
      }
      case "capture":
        if (!this.captures) return this.emit(node.sub, next);
        return this.tag(node.index * 2, this.emit(node.sub, this.tag(node.index * 2 + 1, next)));
      case "concat":
        return this.concat(node.subs, next);
      case "alternate": {
        let at = this.emit(node.subs.at(-1) as Node, next);
        for (let i = node.subs.length - 2; i >= 0; i--) {
          at = this.put(op.split, this.emit(node.subs[i] as Node, next), at);
        }
        return at;
      }
      case "repeat":
        return this.repeat(node, next);
    }
  }

  private put(code: number, first: number, second: number): number {
    this.a.push(first);
    this.b.push(second);
    return this.ops.push(code) - 1;
  }

  private choice(greedy: boolean, body: number, next: number): number {
    return greedy ? this.put(op.split, body, next) : this.put(op.split, next, body);
  }

  private tag(slot: number, next: number): number {
    const index = this.plan.tagOf.get(slot);
    return index === undefined ? next : this.put(op.tag, next, index);
  }

  private character(ranges: Ranges, next: number): number {
    const { sets, automata, ops, steps } = this;
    if (this.characters) {
      const known = sets.get(ranges);
      if (known === undefined) sets.set(ranges, sets.size);
      return this.put(op.set, next, known ?? sets.size - 1);
    }
    let automaton = automata.get(ranges);
    if (automaton === undefined) {
      automaton = byteAutomaton(ranges, this.backward);
      automata.set(ranges, automaton);
    }
    const { nodes, partition } = automaton;
    this.partitions.add(partition);
    const base = ops.length;
    for (const node of nodes) {
      const from = steps.length;
      for (const { lo, hi, to } of node) steps.push(lo, hi, to < 0 ? next : base + to);
      this.put(op.bytes, from, steps.length);
    }
    return base;
  }

  private concat(subs: readonly Node[], next: number): number {
    let at = next;
    if (this.backward) for (let i = 0; i < subs.length; i++) at = this.emit(subs[i] as Node, at);
    else for (let i = subs.length - 1; i >= 0; i--) at = this.emit(subs[i] as Node, at);
    return at;
  }

  private repeat({ sub, min, max, greedy }: Extract<Node, { readonly op: "repeat" }>, next: number): number {
    if (max === 0) return next;
    let start = next;
    if (max < 0) {
      const { body, loop } = this.plus(sub, greedy, next);
      if (min === 0) return nullable(sub) ? this.choice(greedy, body, next) : loop;
      start = body;
      for (let i = 1; i < min; i++) start = this.emit(sub, start);
      return start;
    }
    for (let i = min; i < max; i++) start = this.choice(greedy, this.emit(sub, start), next);
    for (let i = 0; i < min; i++) start = this.emit(sub, start);
    return start;
  }

  /** Compiles the loop of a repetition: the body once (not copied), followed by a jump back to the body. */
  private plus(sub: Node, greedy: boolean, next: number): { body: number; loop: number } {
    const loop = this.put(op.split, next, next);
    const body = this.emit(sub, loop);
    if (greedy) this.a[loop] = body;
    else this.b[loop] = body;
    return { body, loop };
  }
}

/**
 * Writes the slots (start and end of each group) of a match that ended at `end`. `positions` holds the start of the
 * match and the offsets of its capture tags; -1 stands for a tag that the match did not reach.
 */
export function fillSlots(program: Program, end: number, positions: Int32Array, at: number, slots: Int32Array): void {
  program.slots.forEach(({ base, distance }, i) => {
    if (base === 0) slots[i] = end + distance;
    else {
      const position = base < 0 ? -1 : (positions[at + base - 1] as number);
      slots[i] = position < 0 ? -1 : position + distance;
    }
  });
}

/**
 * Returns the instruction that follows when the instruction at `pc` consumes the byte `unit` (in a program over
 * characters, the code point `unit`); -1 when the instruction does not accept `unit`.
 */
export function target({ ops, steps, sets, a, b }: Program, pc: number, unit: number): number {
  const stop = b[pc] as number;
  if (ops[pc] === op.set) return (sets[stop] as CharacterSet).has(unit) ? (a[pc] as number) : -1;
  for (let i = a[pc] as number; i < stop; i += 3)
    if (unit >= (steps[i] as number) && unit <= (steps[i + 1] as number)) return steps[i + 2] as number;
  return -1;
}

const answers = new WeakMap<Node, boolean>();

/** Returns whether the node can match the empty string. */
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

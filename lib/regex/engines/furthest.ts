// Finds out how far an expression got in a text that it does not match. Like pike.ts, it simulates all threads of the
// automaton side by side in linear time. It counts how many bytes each thread matched, and returns the position at
// which the best thread (the one that got furthest) ended.

import { compileProgram, nullable, op, type Program, target } from "../automaton/program.ts";
import { isLarge } from "../automaton/size.ts";
import { characterWidth, codePointAt } from "../automaton/utf8.ts";
import { ANY, ANY_BUT_NEWLINE } from "../syntax/char-class.ts";
import type { Leaf, Node } from "../syntax/tree.ts";
import { holds, REPLACEMENT } from "./pike.ts";

export interface FurthestPosition {
  /** Byte offsets at which the best thread (the simulated run of the automaton that got furthest) began and ended. */
  readonly start: number;
  readonly at: number;
  /**
   * The characters, classes and assertions of the expression that the best thread (the simulated run of the automaton
   * that got furthest) expected next, the most promising first.
   */
  readonly leaves: readonly Leaf[];
}

/**
 * The threads (simulated runs of the automaton) at one position, each with the instruction that it has reached. Of two
 * threads at the same instruction, only the one that matched more bytes is kept.
 */
interface Ways {
  readonly pcs: number[];
  /**
   * Number of bytes that a thread (simulated run of the automaton) matched with anything except a dot. A dot matches
   * everything, so its matches prove nothing.
   */
  readonly matched: Int32Array;
  readonly starts: Int32Array;
}

/**
 * The end of a thread (simulated run of the automaton): the leaf of the expression (character, class or assertion) that
 * did not match, the number of bytes that matched before, and the position where the thread began.
 */
interface End {
  readonly leaf: Leaf;
  readonly matched: number;
  readonly start: number;
}

/**
 * The end of a thread (simulated run of the automaton) at a failed word boundary, and an instruction (`pc`) after the
 * boundary. A message names the characters that this instruction expects, because they explain more than the boundary.
 */
interface PastBoundary {
  readonly pc: number;
  readonly end: End;
}

export class FurthestMatch {
  /** Number of instructions of the program that this object has visited so far, as a measure of its work. */
  steps = 0;
  /**
   * The progress of each leaf (character, class or assertion): the smallest number of characters that a match has
   * before the leaf. Inside an alternative or a repetition, this number is limited: it is not greater than the
   * progress of a leaf that follows after the alternative or repetition.
   */
  readonly progress: ReadonlyMap<Leaf, number>;
  private readonly program: Program;
  private current: Ways;
  private next: Ways;
  /** The round (step of the simulation) in which each instruction was last reached. */
  private readonly reached: Int32Array;
  /**
   * The round (step of the simulation) in which each instruction was last added to `pastBoundary`, that is, after a
   * failed word boundary.
   */
  private readonly addedPastBoundary: Int32Array;
  private readonly stack: number[] = [];
  private pastBoundary: PastBoundary[] = [];
  private round = 0;

  constructor(root: Node) {
    this.program = compileProgram(root, 1, { captures: false, characters: isLarge(root) });
    this.progress = progressOf(root);
    const size = this.program.ops.length;
    const ways = (): Ways => ({ pcs: [], matched: new Int32Array(size), starts: new Int32Array(size) });
    this.current = ways();
    this.next = ways();
    this.reached = new Int32Array(size);
    this.addedPastBoundary = new Int32Array(size);
  }

  /**
   * Finds where the best thread (the simulated run of the automaton that got furthest) ended in a text that does not
   * match.
   */
  find(bytes: Uint8Array): FurthestPosition {
    let best: (End & { readonly at: number }) | null = null;
    let leaves: readonly Leaf[] = [];
    let ends: End[] = [];
    this.current.pcs.length = 0;
    this.round++;
    for (let at = 0; ; ) {
      this.follow(this.current, { pc: this.program.start, matched: 0, start: at }, bytes, at, ends);
      const width = at < bytes.length ? characterWidth(bytes, at, bytes.length) : 0;
      const after = at + Math.max(width, 1);
      const later: End[] = [];
      if (at === bytes.length) this.consume(-1, 1, bytes, after, ends, later);
      else if (this.program.sets.length > 0)
        this.consume(codePointAt(bytes, at, width), after - at, bytes, after, ends, later);
      else
        for (const byte of width === 0 ? REPLACEMENT : bytes.subarray(at, after))
          this.consume(byte, 1, bytes, after, ends, later);
      for (const end of ends) if (best === null || this.compare({ ...end, at }, best) > 0) best = { ...end, at };
      if (best?.at === at) leaves = this.rank(ends, best.start);
      if (at === bytes.length) return { start: best?.start ?? 0, at: best?.at ?? 0, leaves };
      ends = later;
      at = after;
    }
  }

  /**
   * Moves every thread (simulated run of the automaton) over one byte, or over one character in a program that
   * reads characters. `width` is added to the number of bytes that a thread has matched. The byte -1 stands
   * for the end of the text, which no thread can go past. `ends` receives the end of each thread that cannot
   * go past the byte. `later` receives the end of each thread that goes past the byte, but fails at an
   * assertion before it can read the next byte.
   */
  private consume(unit: number, width: number, bytes: Uint8Array, after: number, ends: End[], later: End[]): void {
    const { program, current, next } = this;
    const seeds: { readonly pc: number; readonly matched: number; readonly start: number }[] = [];
    for (const pc of current.pcs) {
      this.steps++;
      if (program.ops[pc] === op.match) continue;
      const leaf = program.leaves[pc] as Leaf;
      const [matched, start] = [current.matched[pc] as number, current.starts[pc] as number];
      const to = target(program, pc, unit);
      if (to < 0) ends.push({ leaf, matched, start });
      else seeds.push({ pc: to, matched: matched + (isWild(leaf) ? 0 : width), start });
    }
    for (const { pc, end } of this.pastBoundary)
      ends.push(target(program, pc, unit) < 0 ? { ...end, leaf: program.leaves[pc] as Leaf } : end);
    this.pastBoundary = [];
    seeds.sort((a, b) => b.matched - a.matched || a.start - b.start);
    next.pcs.length = 0;
    this.round++;
    for (const seed of seeds) this.follow(next, seed, bytes, after, later);
    [this.current, this.next] = [next, current];
  }

  /**
   * Adds to `ways` all instructions that a thread (simulated run of the automaton) can reach without consuming
   * anything.
   */
  private follow(
    ways: Ways,
    { pc: first, matched, start }: { readonly pc: number; readonly matched: number; readonly start: number },
    bytes: Uint8Array,
    at: number,
    ends: End[],
  ): void {
    const { ops, a, b, leaves } = this.program;
    this.stack.push(first);
    while (this.stack.length > 0) {
      const pc = this.stack.pop() as number;
      if (this.reached[pc] === this.round) continue;
      this.reached[pc] = this.round;
      this.steps++;
      const code = ops[pc];
      if (code === op.split) this.stack.push(b[pc] as number, a[pc] as number);
      else if (code === op.assert) {
        const end: End = { leaf: leaves[pc] as Leaf, matched, start };
        if (holds(b[pc] as number, bytes, 0, bytes.length, at)) this.stack.push(a[pc] as number);
        else if (!this.passBoundary(a[pc] as number, end)) ends.push(end);
      } else {
        ways.pcs.push(pc);
        ways.matched[pc] = matched;
        ways.starts[pc] = start;
      }
    }
  }

  /**
   * Collects in `pastBoundary` all instructions that follow a failed word boundary at which a thread (simulated run of
   * the automaton) ended. Returns false when there are none, or when the thread did not end at a word boundary.
   */
  private passBoundary(first: number, end: End): boolean {
    const { ops, a, b, leaves } = this.program;
    if (end.leaf.op !== "assert" || (end.leaf.place !== "word" && end.leaf.place !== "notWord")) return false;
    const before = this.pastBoundary.length;
    const stack = [first];
    for (let pc = stack.pop(); pc !== undefined; pc = stack.pop()) {
      if (this.addedPastBoundary[pc] === this.round) continue;
      this.addedPastBoundary[pc] = this.round;
      this.steps++;
      if (ops[pc] === op.split) stack.push(b[pc] as number, a[pc] as number);
      else if (leaves[pc]?.op === "class") this.pastBoundary.push({ pc, end });
    }
    return this.pastBoundary.length > before;
  }

  /**
   * Compares the ends of two threads (simulated runs of the automaton). The result is above 0 when `a` got further. The
   * position in the expression decides first, then the number of matched bytes, then the position in the text.
   */
  private compare(a: End & { readonly at: number }, b: End & { readonly at: number }): number {
    return (
      this.progressAt(a) - this.progressAt(b) ||
      a.matched - b.matched ||
      a.at - a.start - (b.at - b.start) ||
      b.start - a.start
    );
  }

  private progressAt({ leaf }: End): number {
    return this.progress.get(leaf) as number;
  }

  /**
   * Returns the leaves (characters, classes and assertions of the expression) that did not match, for the threads
   * (simulated runs of the automaton) that began at `start`. The most promising leaf comes first.
   */
  private rank(ends: readonly End[], start: number): Leaf[] {
    const own = ends.filter((end) => end.start === start);
    const specific = own.filter(({ leaf }) => !isWild(leaf));
    const ranked = specific.length > 0 ? specific : own;
    ranked.sort((a, b) => this.progressAt(b) - this.progressAt(a) || b.matched - a.matched || a.leaf.at - b.leaf.at);
    return [...new Set(ranked.map(({ leaf }) => leaf))];
  }
}

/** Returns whether a leaf of the syntax tree is a dot, which matches any character. */
function isWild(leaf: Leaf): boolean {
  return leaf.op === "class" && (leaf.ranges === ANY || leaf.ranges === ANY_BUT_NEWLINE);
}

function progressOf(root: Node): Map<Leaf, number> {
  const progress = new Map<Leaf, number>();
  /**
   * Computes the progress of each leaf (character, class or assertion) of a node: the number of characters that a
   * match must have before the leaf, but at most `limit`. The limit applies inside alternatives and repetitions. A
   * match can reach the leaves after an alternative or repetition without passing all leaves inside it. Therefore
   * the limit keeps the progress of a leaf inside from exceeding the progress of the leaves after it.
   */
  function visit(node: Node, before: number, limit: number): void {
    switch (node.op) {
      case "empty":
        return;
      case "class":
      case "assert":
        progress.set(node, Math.min(before, limit));
        return;
      case "capture":
        visit(node.sub, before, limit);
        return;
      case "concat": {
        let at = before;
        for (const sub of node.subs) {
          visit(sub, at, limit);
          at += shortest(sub);
        }
        return;
      }
      case "alternate":
        for (const sub of node.subs) visit(sub, before, Math.min(limit, inside(before, shortest(node))));
        return;
      case "repeat":
        visit(node.sub, before, Math.min(limit, inside(before, node.min === 0 ? 0 : shortest(node.sub))));
    }
  }
  visit(root, 0, Number.POSITIVE_INFINITY);
  return progress;
}

/**
 * Returns the limit for the progress (number of characters before a leaf) of leaves inside an alternative or a
 * repetition. `before` is the number of characters before the alternative or repetition, and `least` is the number of
 * characters of its shortest match. The limit is lower than the progress of all leaves after the alternative or
 * repetition, unless `least` is 0.
 */
function inside(before: number, least: number): number {
  return least === 0 ? before : before + least - 0.5;
}

const lengths = new WeakMap<Node, number>();

/** Returns the number of characters of the node's shortest match. */
function shortest(node: Node): number {
  let length = lengths.get(node);
  if (length === undefined) {
    length = nullable(node) ? 0 : measure(node);
    lengths.set(node, length);
  }
  return length;
}

function measure(node: Node): number {
  switch (node.op) {
    case "class":
      return 1;
    case "capture":
      return shortest(node.sub);
    case "concat":
      return node.subs.reduce((sum, sub) => sum + shortest(sub), 0);
    case "alternate":
      return Math.min(...node.subs.map(shortest));
    case "repeat":
      return node.min * shortest(node.sub);
    default:
      return 0;
  }
}

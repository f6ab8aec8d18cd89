// Finds how far an expression got in a text that it does not match. It runs all threads side by side, like the
// simulation of pike.ts and in time linear in the text too, but notes for each thread how much it matched. It keeps the
// best of the places where threads ended.

import { compileProgram, nullable, op, type Program, target } from "../automaton/program.ts";
import { isLarge } from "../automaton/size.ts";
import { characterWidth, codePointAt } from "../automaton/utf8.ts";
import { ANY, ANY_BUT_NEWLINE } from "../syntax/char-class.ts";
import type { Leaf, Node } from "../syntax/tree.ts";
import { holds, REPLACEMENT } from "./pike.ts";

export interface Stop {
  /** Byte offsets where the thread began and where it ended. */
  readonly start: number;
  readonly at: number;
  /** The leaves that would have let the thread go on there, the most promising first. */
  readonly leaves: readonly Leaf[];
}

/**
 * The threads, by the instruction that they stand at; when two threads meet at one instruction, the one that matched
 * more is kept.
 */
interface Ways {
  readonly pcs: number[];
  /** Number of bytes matched by anything except a dot, which matches everything and so says nothing. */
  readonly matched: Int32Array;
  readonly starts: Int32Array;
}

/** The end of a thread at a leaf. */
interface End {
  readonly leaf: Leaf;
  readonly matched: number;
  readonly start: number;
}

/**
 * A thread that ended at an edge of a word, and an instruction behind this edge: the characters that a word must begin
 * with explain more than the edge.
 */
interface Ghost {
  readonly pc: number;
  readonly end: End;
}

export class Furthest {
  /** Instructions visited plus items of closures, over the life of this object. */
  steps = 0;
  /** For each leaf: the number of characters that every match must have in front of it, limited by the shortest alternative. */
  readonly progress: ReadonlyMap<Leaf, number>;
  private readonly program: Program;
  private current: Ways;
  private next: Ways;
  /** The round in which each instruction was reached last. */
  private readonly reached: Int32Array;
  /** The round in which each instruction was last added as a ghost. */
  private readonly haunted: Int32Array;
  private readonly stack: number[] = [];
  private ghosts: Ghost[] = [];
  private round = 0;

  constructor(root: Node) {
    this.program = compileProgram(root, 1, { captures: false, characters: isLarge(root) });
    this.progress = progressOf(root);
    const size = this.program.ops.length;
    const ways = (): Ways => ({ pcs: [], matched: new Int32Array(size), starts: new Int32Array(size) });
    this.current = ways();
    this.next = ways();
    this.reached = new Int32Array(size);
    this.haunted = new Int32Array(size);
  }

  /** Finds where the best thread ended, in a text without a match. */
  find(bytes: Uint8Array): Stop {
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
   * Moves every thread over one byte (in a program of characters: one character), which counts for `width` bytes; -1 is
   * the end of the text, where all threads end. `later` gets the ends behind the character.
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
    for (const { pc, end } of this.ghosts)
      ends.push(target(program, pc, unit) < 0 ? { ...end, leaf: program.leaves[pc] as Leaf } : end);
    this.ghosts = [];
    seeds.sort((a, b) => b.matched - a.matched || a.start - b.start);
    next.pcs.length = 0;
    this.round++;
    for (const seed of seeds) this.follow(next, seed, bytes, after, later);
    [this.current, this.next] = [next, current];
  }

  /** Adds all instructions that are reached without consuming. */
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
        else if (!this.haunt(a[pc] as number, end)) ends.push(end);
      } else {
        ways.pcs.push(pc);
        ways.matched[pc] = matched;
        ways.starts[pc] = start;
      }
    }
  }

  /**
   * Collects, for a thread that ended at an edge of a word, all instructions behind this edge as ghosts. Returns false
   * when there are none, or when the thread ended at another leaf.
   */
  private haunt(first: number, end: End): boolean {
    const { ops, a, b, leaves } = this.program;
    if (end.leaf.op !== "assert" || (end.leaf.place !== "word" && end.leaf.place !== "notWord")) return false;
    const before = this.ghosts.length;
    const stack = [first];
    for (let pc = stack.pop(); pc !== undefined; pc = stack.pop()) {
      if (this.haunted[pc] === this.round) continue;
      this.haunted[pc] = this.round;
      this.steps++;
      if (ops[pc] === op.split) stack.push(b[pc] as number, a[pc] as number);
      else if (leaves[pc]?.op === "class") this.ghosts.push({ pc, end });
    }
    return this.ghosts.length > before;
  }

  /**
   * Compares two ends. The result is above 0 when `a` got further: first in the expression, then by what it matched,
   * then in the text.
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

  /** Returns the leaves of the threads that began at `start`, the best first. */
  private rank(ends: readonly End[], start: number): Leaf[] {
    const own = ends.filter((end) => end.start === start);
    const telling = own.filter(({ leaf }) => !isWild(leaf));
    const ranked = telling.length > 0 ? telling : own;
    ranked.sort((a, b) => this.progressAt(b) - this.progressAt(a) || b.matched - a.matched || a.leaf.at - b.leaf.at);
    return [...new Set(ranked.map(({ leaf }) => leaf))];
  }
}

/** Returns whether the leaf is a dot. */
function isWild(leaf: Leaf): boolean {
  return leaf.op === "class" && (leaf.ranges === ANY || leaf.ranges === ANY_BUT_NEWLINE);
}

function progressOf(root: Node): Map<Leaf, number> {
  const progress = new Map<Leaf, number>();
  /**
   * Computes the progress of a node's leaves. `limit` is the most that the node may get, because the text may take
   * another path around the node.
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
 * Returns the largest progress within a node of this minimum length. It is less than the progress behind the node when
 * the node must match something.
 */
function inside(before: number, least: number): number {
  return least === 0 ? before : before + least - 0.5;
}

const lengths = new WeakMap<Node, number>();

/** Returns the number of characters of the shortest match. */
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

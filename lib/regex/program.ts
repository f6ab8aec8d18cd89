// Compiles the tree to the instructions of a Thompson automaton, built from the end to the start. Loops are laid out as
// Go's regexp/syntax does, since captures of empty loop bodies depend on it (grok document, section 3.1).

import type { Node, Place, Ranges } from "./syntax.ts";

export type Instruction =
  | { readonly op: "class"; readonly ranges: Ranges; readonly next: number }
  | { readonly op: "assert"; readonly place: Place; readonly next: number }
  | { readonly op: "save"; readonly slot: number; readonly next: number }
  /** `first` is preferred. */
  | { readonly op: "split"; first: number; second: number }
  | { readonly op: "match" };

export interface Program {
  readonly code: readonly Instruction[];
  readonly start: number;
  /** Two per group. */
  readonly slots: number;
}

export function compileProgram(root: Node, groups: number): Program {
  const code: Instruction[] = [];
  const put = (instruction: Instruction): number => code.push(instruction) - 1;

  function quest(sub: Node, greedy: boolean, next: number): number {
    const body = emit(sub, next);
    return put({ op: "split", first: greedy ? body : next, second: greedy ? next : body });
  }

  /** The body runs and then jumps back to the same body: no copy of it. */
  function plus(sub: Node, greedy: boolean, next: number): { body: number; loop: number } {
    const split = { op: "split" as const, first: next, second: next };
    const loop = put(split);
    const body = emit(sub, loop);
    if (greedy) split.first = body;
    else split.second = body;
    return { body, loop };
  }

  function repeat(sub: Node, min: number, max: number, greedy: boolean, next: number): number {
    if (max === 0) return next;
    let start = next;
    if (max < 0) {
      if (min === 0) {
        if (!nullable(sub)) return plus(sub, greedy, next).loop;
        const { body } = plus(sub, greedy, next);
        return put({ op: "split", first: greedy ? body : next, second: greedy ? next : body });
      }
      start = plus(sub, greedy, next).body;
      for (let i = 1; i < min; i++) start = emit(sub, start);
      return start;
    }
    for (let i = min; i < max; i++) {
      const body = emit(sub, start);
      start = put({ op: "split", first: greedy ? body : next, second: greedy ? next : body });
    }
    for (let i = 0; i < min; i++) start = emit(sub, start);
    return start;
  }

  function emit(node: Node, next: number): number {
    switch (node.op) {
      case "empty":
        return next;
      case "class":
        return put({ op: "class", ranges: node.ranges, next });
      case "assert":
        return put({ op: "assert", place: node.place, next });
      case "capture":
        return put({
          op: "save",
          slot: node.index * 2,
          next: emit(node.sub, put({ op: "save", slot: node.index * 2 + 1, next })),
        });
      case "concat":
        return node.subs.reduceRight((after, sub) => emit(sub, after), next);
      case "alternate":
        return node.subs
          .map((sub) => emit(sub, next))
          .reduceRight((second, first) => put({ op: "split", first, second }));
      case "repeat":
        return node.min === 0 && node.max === 1
          ? quest(node.sub, node.greedy, next)
          : repeat(node.sub, node.min, node.max, node.greedy, next);
    }
  }

  const start = emit(root, put({ op: "match" }));
  return { code, start, slots: groups * 2 };
}

const answers = new WeakMap<Node, boolean>();

/** Whether the node can match without consuming anything. */
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

// Runs a program over text by following all threads at once, in order of preference: leftmost-first matches in time
// linear in the text, after Pike's and Cox's virtual machine (https://swtch.com/~rsc/regexp/regexp2.html). Slow and
// exact: use it where the host's backtracking gives other captures or may not end.

import { contains, WORD } from "./char-class.ts";
import type { Program } from "./program.ts";
import type { Place } from "./syntax.ts";

/** Offsets in the text, two per group; -1 for a group that took no part. */
export type Slots = readonly number[];

interface Thread {
  readonly pc: number;
  readonly slots: Slots;
}

export function runPike(program: Program, text: string, from: number): Slots | null {
  const { code, start } = program;
  const seen = new Int32Array(code.length).fill(-1);
  const none: Slots = new Array<number>(program.slots).fill(-1);
  let current: Thread[] = [];
  let best: Slots | null = null;
  /** The end of the match is stored with it: slot 1. */
  const pending: Thread[] = [];

  /** Follows everything that consumes nothing. A place reached again at the same offset is given up. */
  function follow(list: Thread[], pc: number, slots: Slots, at: number): void {
    pending.push({ pc, slots });
    for (let thread = pending.pop(); thread !== undefined; thread = pending.pop()) {
      if (seen[thread.pc] === at) continue;
      seen[thread.pc] = at;
      const instruction = code[thread.pc];
      if (instruction === undefined) continue;
      switch (instruction.op) {
        case "split":
          pending.push({ pc: instruction.second, slots: thread.slots });
          pending.push({ pc: instruction.first, slots: thread.slots });
          break;
        case "save": {
          const slots = thread.slots.slice();
          slots[instruction.slot] = at;
          pending.push({ pc: instruction.next, slots });
          break;
        }
        case "assert":
          if (holds(instruction.place, text, at)) pending.push({ pc: instruction.next, slots: thread.slots });
          break;
        default:
          list.push(thread);
      }
    }
  }

  for (let at = from; ; ) {
    if (best === null) {
      const slots = none.slice();
      slots[0] = at;
      follow(current, start, slots, at);
    }
    if (current.length === 0 && best !== null) return best;
    const codePoint = text.codePointAt(at);
    const after = at + (codePoint !== undefined && codePoint > 0xffff ? 2 : 1);
    const next: Thread[] = [];
    for (const thread of current) {
      const instruction = code[thread.pc];
      if (instruction?.op === "match") {
        const slots = thread.slots.slice();
        slots[1] = at;
        best = slots;
        break;
      }
      if (instruction?.op === "class" && codePoint !== undefined && contains(instruction.ranges, codePoint))
        follow(next, instruction.next, thread.slots, after);
    }
    if (codePoint === undefined) return best;
    current = next;
    at = after;
  }
}

function isWord(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return !Number.isNaN(code) && contains(WORD, code);
}

function holds(place: Place, text: string, at: number): boolean {
  switch (place) {
    case "textStart":
      return at === 0;
    case "textEnd":
      return at === text.length;
    case "lineStart":
      return at === 0 || text[at - 1] === "\n";
    case "lineEnd":
      return at === text.length || text[at] === "\n";
    case "word":
      return isWord(text, at - 1) !== isWord(text, at);
    case "notWord":
      return isWord(text, at - 1) === isWord(text, at);
  }
}

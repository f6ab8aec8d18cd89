// The core of the regex engine's first tier: it searches texts with the automaton tables of an expression. A
// search first tries to match forward from its first position; most lines match there. Otherwise it looks for a
// literal that every match contains, tries the next few positions, searches backward for the start of the
// leftmost match, and reads this match forward. The search stops at a missing table entry; JavaScript fills in
// the entry and calls again to continue.

import {
  BACKWARD_LACKS, ENTRY_DEAD, ENTRY_MISSING, ENTRY_SKIPS, ENTRY_SPECIAL, FORWARD_LACKS, HERE, INVALID, LEFT, M_AT, M_AT_EDGE, M_BACKWARD,
  M_BACKWARD_END, M_BEGINS, M_CODE, M_COLUMN, M_FORWARD, M_FORWARD_END, M_FOUND, M_LAST, M_LEFT, M_LEFTMOST, M_LEFTS, M_LINE, M_LITERAL, M_LITERAL_LENGTH,
  M_PHASE, M_ROW, M_SLOTS, M_STARTS, M_WIDE, NO, RECORD_ACCEPT, RECORD_COUNT, RECORD_MOVES, RECORD_NEXT, REGISTER_END,
  REGISTER_NEVER, REGISTER_START, ROW_ENTRIES, YES,
} from "./layout";
import { skipBackward, skipForward } from "./skip";
import { find, isValid } from "./text";

// Phases of a search, in the order in which they follow each other: the search has not begun (FRESH); it tries
// the first position; it tries the next positions; it reads backward for the leftmost start of a match; it reads
// forward from this start.
const FRESH: u32 = 0;
const FIRST: u32 = 1;
const NEAR: u32 = 2;
const BACK: u32 = 3;
const AGAIN: u32 = 4;

/**
 * Limits for trying start positions one by one. The search stops trying at a position that is more than NEAR_BYTES
 * bytes after the first one, or after a try that has read more than NEAR_TRY bytes.
 */
const NEAR_BYTES: usize = 16;
const NEAR_TRY: usize = 32;

/** Address at which the last search in forward direction stopped reading. */
let stopped: usize = 0;

/** Memory for 1024 registers, which hold offsets of captured groups. */
const registers = memory.data(4096, 16);

// @ts-ignore: decorator
@inline
function wait(machine: usize, phase: u32, at: usize, row: usize, column: u32, found: u32, answer: u32): u32 {
  store<u32>(machine, phase, M_PHASE);
  store<u32>(machine, <u32>at, M_AT);
  store<u32>(machine, <u32>row, M_ROW);
  store<u32>(machine, column >> 2, M_COLUMN);
  store<u32>(machine, found, M_FOUND);
  return answer;
}

/** Returns the class of the byte before a position; lib/regex/automaton/context.ts defines the numbers. */
function kindBefore(at: usize, start: usize): usize {
  if (at == start) return 0;
  const byte = <u32>load<u8>(at - 1);
  if (byte == 0x0a) return 1;
  if (byte - 0x30 < 10 || (byte | 0x20) - 0x61 < 26 || byte == 0x5f) return 2;
  return 3;
}

// @ts-ignore: decorator
@inline
function columnOf(classes: usize, at: usize): u32 {
  return <u32>load<u16>(classes + (<usize>load<u8>(at) << 1));
}

/**
 * Searches forward from the address `from`, beginning in the state of the table entry `entry`. Offsets in the result
 * are counted from the address `base`.
 */
function forward(machine: usize, phase: u32, base: usize, end: usize, from: usize, entry: u32, found: u32, out: usize): u32 {
  const classes = <usize>load<u32>(machine, M_FORWARD);
  const endColumn = load<u32>(machine, M_FORWARD_END);
  let at = from;
  let row = <usize>(entry & ~3);
  for (;;) {
    let next: u32 = 0;
    let column: u32 = 0;
    for (;;) {
      if (at + 4 <= end) {
        column = columnOf(classes, at);
        next = load<u32>(row + <usize>column, ROW_ENTRIES);
        if (next & 3) break;
        row = <usize>next;
        at++;
        column = columnOf(classes, at);
        next = load<u32>(row + <usize>column, ROW_ENTRIES);
        if (next & 3) break;
        row = <usize>next;
        at++;
        column = columnOf(classes, at);
        next = load<u32>(row + <usize>column, ROW_ENTRIES);
        if (next & 3) break;
        row = <usize>next;
        at++;
      }
      column = at < end ? columnOf(classes, at) : endColumn;
      next = load<u32>(row + <usize>column, ROW_ENTRIES);
      if (next & 3) break;
      row = <usize>next;
      at++;
    }
    if (next & ENTRY_SPECIAL) {
      if (next == ENTRY_DEAD) {
        stopped = at;
        return found;
      }
      if (next == ENTRY_MISSING) return wait(machine, phase, at, row, column, found, FORWARD_LACKS);
      const record = <usize>(next ^ ENTRY_SPECIAL);
      let accept = <usize>load<u32>(record, RECORD_ACCEPT);
      if (accept) {
        found = YES;
        store<i32>(registers, <i32>(at - base), REGISTER_END);
        const slots = load<u32>(machine, M_SLOTS);
        const stop = accept + (<usize>slots << 2);
        for (let slot = out; accept < stop; accept += 4, slot += 4) {
          const source = load<u32>(accept);
          const offset = load<i32>(registers + (<usize>(source >> 16) << 2));
          store<i32>(slot, offset < 0 ? -1 : offset + (<i32>(source << 16) >> 16));
        }
      }
      const moves = load<u32>(record, RECORD_COUNT);
      for (let move = record, stop = record + (<usize>moves << 2); move < stop; move += 4) {
        const what = load<u32>(move, RECORD_MOVES);
        const source = what & 0xffff;
        store<i32>(
          registers + (<usize>(what >> 16) << 2),
          source == HERE ? <i32>(at - base) : load<i32>(registers + (<usize>source << 2)),
        );
      }
      next = load<u32>(record, RECORD_NEXT);
      if (!next) {
        stopped = at;
        return found;
      }
    }
    at++;
    row = <usize>(next & ~3);
    if (next & ENTRY_SKIPS) at = skipForward(row, at, end);
  }
  return found;
}

/**
 * Searches `left` lines with the WebAssembly function that was generated for the expression. The search of the
 * first line begins at the address `from`, in the automaton state of the table entry `entry`. The machine (the
 * record of the expression and its search) must have such a function.
 */
// @ts-ignore: decorator
@inline
function generated(
  machine: usize, base: usize, end: usize, from: usize, entry: u32, out: usize, lines: usize, left: u32,
): u32 {
  return call_indirect<u32>(load<u32>(machine, M_CODE), machine, from, end, base, out, <usize>(entry & ~3), lines, left);
}

/**
 * Continues a search with the automaton's tables, after the function that was generated for the expression has stopped
 * within a text that is valid UTF-8.
 */
function afterGenerated(machine: usize, phase: u32, base: usize, end: usize, out: usize, answer: u32): u32 {
  stopped = <usize>load<u32>(machine, M_AT);
  if (answer != LEFT) return answer;
  store<u32>(machine, load<u32>(machine, M_LEFTS) + 1, M_LEFTS);
  return forward(machine, phase, base, end, stopped, load<u32>(machine, M_ROW), load<u32>(machine, M_FOUND), out);
}

/**
 * Searches a text that is valid UTF-8, from the address `from` on. `entry` is the table entry that names the
 * automaton's state before the first byte. The WebAssembly function that was generated for the expression searches as
 * far as it can; the search then continues with the automaton's tables.
 */
function begin(machine: usize, phase: u32, base: usize, end: usize, from: usize, entry: u32, out: usize): u32 {
  store<i32>(registers, <i32>(from - base), REGISTER_START);
  if (!load<u32>(machine, M_CODE)) return forward(machine, phase, base, end, from, entry, NO, out);
  const answer = generated(machine, base, end, from, entry, out, 0, 1);
  return afterGenerated(machine, phase, base, end, out, answer);
}

export function registersAddress(): usize {
  return registers;
}

/** Searches backward from `last` to `from`, and sets M_LEFTMOST to the start of the leftmost match. */
function backward(machine: usize, start: usize, from: usize, last: usize, entry: u32, found: u32): u32 {
  const classes = <usize>load<u32>(machine, M_BACKWARD);
  const endColumn = load<u32>(machine, M_BACKWARD_END);
  let at = last;
  let row = <usize>(entry & ~3);
  for (;;) {
    const column = at > start ? columnOf(classes, at - 1) : endColumn;
    let next = load<u32>(row + <usize>column, ROW_ENTRIES);
    if (next & ENTRY_SPECIAL) {
      if (next == ENTRY_MISSING) return wait(machine, BACK, at, row, column, found, BACKWARD_LACKS);
      if (next != ENTRY_DEAD) {
        found = YES;
        store<u32>(machine, <u32>at, M_LEFTMOST);
        next = load<u32>(<usize>(next ^ ENTRY_SPECIAL), RECORD_NEXT);
      }
    }
    if (at == from) return found;
    at--;
    row = <usize>(next & ~3);
    if (next & ENTRY_SKIPS) at = skipBackward(row, at, from);
  }
  return found;
}

/**
 * Searches the text from `start` to `end`, beginning at `from`. Writes the slots (bounds of groups) to `out`, as
 * offsets from `base`. `machine` is the address of the record that describes the compiled expression and the
 * state of its search. For a new search, the phase in this record must be FRESH. When a search was interrupted,
 * the record contains the phase from which another call with the same text continues.
 */
export function searchText(machine: usize, base: usize, start: usize, end: usize, from: usize, out: usize): u32 {
  const phase = load<u32>(machine, M_PHASE);
  if (phase != FRESH) return resume(machine, phase, base, start, end, from, out);
  store<i32>(registers, -1, REGISTER_NEVER);
  const entry = load<u32>(machine + (kindBefore(from, start) << 2), M_BEGINS);
  if (!load<u32>(machine, M_CODE) || load<u32>(machine, M_WIDE)) {
    if (!isValid(from, end)) return INVALID;
    store<u32>(machine, <u32>from, M_LEFTMOST);
    return afterFirst(machine, base, start, end, from, out, begin(machine, FIRST, base, end, from, entry, out));
  }
  const answer = generated(machine, base, end, from, entry, out, 0, 1);
  return answer == YES ? YES : afterUnread(machine, base, start, end, from, out, answer);
}

/**
 * Continues the search of a text that may be invalid UTF-8, after a generated WebAssembly function that reads only
 * ASCII has stopped without a match.
 */
function afterUnread(machine: usize, base: usize, start: usize, end: usize, from: usize, out: usize, answer: u32): u32 {
  if (!isValid(from, end)) return INVALID;
  const said = afterGenerated(machine, FIRST, base, end, out, answer);
  return afterFirst(machine, base, start, end, from, out, said);
}

/**
 * Continues a search after the first position was tried with the result `answer`: checks for the literal that every
 * match contains, then tries the next positions.
 */
function afterFirst(machine: usize, base: usize, start: usize, end: usize, from: usize, out: usize, answer: u32): u32 {
  if (answer != NO) return answer;
  if (load<u32>(machine, M_AT_EDGE)) return NO;
  if (load<u32>(machine, M_STARTS)) return tryLiterals(machine, base, start, end, from, out);
  if (!find(from, end, load<u32>(machine, M_LITERAL), load<u32>(machine, M_LITERAL_LENGTH))) return NO;
  return tryNear(machine, base, start, end, from, out);
}

/**
 * Finds a match of an expression whose matches all begin with the same literal. Tries the places of this literal
 * after the position in M_LEFTMOST, one after another. When a try has read more than NEAR_TRY bytes without a
 * match, searches backward for the leftmost start of a match, so that the search takes linear time.
 */
function tryLiterals(machine: usize, base: usize, start: usize, end: usize, from: usize, out: usize): u32 {
  const literal = <usize>load<u32>(machine, M_LITERAL);
  const length = <usize>load<u32>(machine, M_LITERAL_LENGTH);
  for (let position = <usize>load<u32>(machine, M_LEFTMOST); stopped - position <= NEAR_TRY; ) {
    position = find(position + 1, end, literal, length);
    if (!position) return NO;
    store<u32>(machine, <u32>position, M_LEFTMOST);
    const entry = load<u32>(machine + (kindBefore(position, start) << 2), M_BEGINS);
    const answer = begin(machine, NEAR, base, end, position, entry, out);
    if (answer != NO) return answer;
    // The WebAssembly function that was generated for the expression may have tried further positions itself. The loop
    // goes on after the last position that was tried, which is in M_LEFTMOST.
    position = <usize>load<u32>(machine, M_LEFTMOST);
  }
  return tryBackward(machine, base, start, end, from, out);
}

/**
 * Tries the positions after the one in M_LEFTMOST one by one. When none of these tries finds a match, searches backward
 * for the leftmost start of a match.
 */
function tryNear(machine: usize, base: usize, start: usize, end: usize, from: usize, out: usize): u32 {
  for (let position = <usize>load<u32>(machine, M_LEFTMOST); ; ) {
    if (stopped - position > NEAR_TRY) break;
    do position++; while (position < end && (load<u8>(position) & 0xc0) == 0x80);
    if (position > end || position - from > NEAR_BYTES) break;
    store<u32>(machine, <u32>position, M_LEFTMOST);
    const entry = load<u32>(machine + (kindBefore(position, start) << 2), M_BEGINS);
    const answer = begin(machine, NEAR, base, end, position, entry, out);
    if (answer != NO) return answer;
    // The WebAssembly function that was generated for the expression may have tried further positions itself. The loop
    // goes on after the last position that was tried, which is in M_LEFTMOST.
    position = <usize>load<u32>(machine, M_LEFTMOST);
  }
  return tryBackward(machine, base, start, end, from, out);
}

/** Searches backward for the leftmost start of a match, and reads the match. */
function tryBackward(machine: usize, base: usize, start: usize, end: usize, from: usize, out: usize): u32 {
  const answer = backward(machine, start, from, end, load<u32>(machine, M_LAST), NO);
  return answer == YES ? readLeftmost(machine, base, start, end, out) : answer;
}

function readLeftmost(machine: usize, base: usize, start: usize, end: usize, out: usize): u32 {
  const at = <usize>load<u32>(machine, M_LEFTMOST);
  return begin(machine, AGAIN, base, end, at, load<u32>(machine + (kindBefore(at, start) << 2), M_BEGINS), out);
}

/**
 * Continues a search that stopped because an entry of the automaton's tables was missing, after JavaScript has filled
 * in the entry.
 */
function resume(machine: usize, phase: u32, base: usize, start: usize, end: usize, from: usize, out: usize): u32 {
  store<u32>(machine, FRESH, M_PHASE);
  const at = <usize>load<u32>(machine, M_AT);
  const entry = load<u32>(machine, M_ROW);
  const found = load<u32>(machine, M_FOUND);
  if (phase == BACK) {
    const answer = backward(machine, start, from, at, entry, found);
    return answer == YES ? readLeftmost(machine, base, start, end, out) : answer;
  }
  const answer = forward(machine, phase, base, end, at, entry, found, out);
  if (phase == FIRST) return afterFirst(machine, base, start, end, from, out, answer);
  if (phase == NEAR && answer == NO) {
    if (load<u32>(machine, M_STARTS)) return tryLiterals(machine, base, start, end, from, out);
    return tryNear(machine, base, start, end, from, out);
  }
  return answer;
}

/**
 * Searches the lines with the numbers from `first` to `count` - 1. `lines` has two words for each line: its
 * start and end as offsets from `base`. Writes the slots (bounds of groups) of each line to `out`; the first
 * slot is -1 when the line does not match. Returns NO when all lines are done. Any other result is the reason
 * why the search stopped, at the line in M_LINE.
 */
export function searchLines(machine: usize, base: usize, lines: usize, first: u32, count: u32, out: usize): u32 {
  const size = <usize>load<u32>(machine, M_SLOTS) << 2;
  const whole = load<u32>(machine, M_CODE) != 0 && load<u32>(machine, M_WIDE) == 0;
  store<i32>(registers, -1, REGISTER_NEVER);
  for (let line = first; line < count; line++) {
    let at = lines + (<usize>line << 3);
    let start = base + <usize>load<u32>(at);
    let answer: u32;
    if (whole && load<u32>(machine, M_PHASE) == FRESH) {
      const entry = load<u32>(machine, M_BEGINS);
      answer = generated(machine, base, base + <usize>load<u32>(at, 4), start, entry, out + <usize>line * size, at, count - line);
      if (answer == YES) return NO;
      line = count - load<u32>(machine, M_LEFT);
      at = lines + (<usize>line << 3);
      start = base + <usize>load<u32>(at);
      answer = afterUnread(machine, base, start, base + <usize>load<u32>(at, 4), start, out + <usize>line * size, answer);
    } else {
      answer = searchText(machine, base, start, base + <usize>load<u32>(at, 4), start, out + <usize>line * size);
    }
    if (answer == NO) store<i32>(out + <usize>line * size, -1);
    else if (answer != YES) {
      store<u32>(machine, line, M_LINE);
      return answer;
    }
  }
  return NO;
}

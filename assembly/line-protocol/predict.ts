// Chooses how a line is read. Lines of one sender resemble each other. So the parser first tries a shape (the
// remembered keys of an earlier line), if shapes often fitted earlier lines of the measurement. The general
// parser (general.ts) reads all other lines. It needs about twice as much time for a line as reading by a shape.

import { hash } from "../tape/keys";
import { shapesEpoch, shapes } from "../tape/scan-memory";
import { ODD_LINE, OTHER_SHAPE } from "./fields";
import { keysOfLine, parseGeneral } from "./general";
import { learn } from "./learn";
import { changeScore, LEAST_SCORE, RETRIED } from "./scores";
import { stopOfName } from "./search";
import { parseShaped, stoppedAt, stoppedBy } from "./shape";
import { firstShape, S_FOLLOWER, S_HASH, S_OTHER } from "./shapes";

/**
 * Offset of the shape (remembered keys) of the line that was read last, which may be a line of an earlier body. 0 when
 * that line has no shape, or when its shape was removed.
 */
let last: u32 = 0;
/**
 * The value that `shapesEpoch` had when `last` was set. `shapesEpoch` counts how often all shapes (remembered
 * keys of lines) were removed. When `shapesEpoch` has changed since then, the shape at the offset `last` no
 * longer exists.
 */
let lastEpoch: u32 = 0;

const SCORES: u32 = 1024;
/**
 * For each measurement (the low bits of its hash), a score from -8 to 7 that says how often shapes (remembered keys of
 * lines) fit its lines: a line with a known shape adds 1, any other line subtracts 1.
 */
const scores = memory.data(1024);
/**
 * Number of lines so far whose measurement has a low score. Shapes (remembered keys of lines) are nevertheless tried
 * for one in `RETRIED` of these lines.
 */
let skipped: u32 = 0;

/** Largest number of shapes (remembered keys of lines) that are tried for one line. */
const MOST_TRIED: u32 = 4;

/**
 * A table with one hash for each of many earlier lines; the hash of a line covers all its keys together. The top
 * 10 bits of a hash are its index in the table, and a new hash replaces an older one at the same index. When the
 * hash of a line is already in the table, an earlier line had the same keys. The keys are then stored as a shape
 * (remembered keys of a line).
 */
const seen = memory.data(4096, 16);
const SEEN_SHIFT: u32 = 22;

/**
 * Reads the line at `line`. When a shape (the remembered keys of an earlier line) fits this line, may also read the
 * lines that follow, until `most` entries are decoded. Returns the address after the last newline that was read, or 0
 * when the exact parser (exact.ts) has to read the line at `line`.
 */
export function parseFast(batch: usize, line: usize, end: usize, most: u32): usize {
  checkEpoch();
  const guess = last ? load<u32>(shapes + last, S_FOLLOWER) : 0;
  if (guess) {
    const next = line == stoppedAt ? stoppedBy : parseShaped(batch, guess, line, end, most);
    if (next > ODD_LINE) {
      last = guess;
      return next;
    }
  }
  const stop = stopOfName(line);
  if (stop == line || load<u8>(stop) == 0x0a) return 0;
  const named = hash(line, <u32>(stop - line));
  const score = scores + <usize>(named & (SCORES - 1));
  const isTried = <i32>load<i8>(score) >= LEAST_SCORE || !(++skipped & (RETRIED - 1));
  if (isTried) {
    const next = tryShapes(batch, named, guess, line, end, most);
    if (next > ODD_LINE) {
      changeScore(score, 1);
      return next;
    }
    if (next == OTHER_SHAPE) changeScore(score, -1);
  }
  const next = parseGeneral(batch, named, line, stop, end);
  if (!next) return 0;
  let shape: u32 = 0;
  if (isTried) {
    const known = seen + <usize>((keysOfLine >> SEEN_SHIFT) << 2);
    if (load<u32>(known) == keysOfLine) shape = learn(batch, named, line, stop, end);
    else store<u32>(known, keysOfLine);
  }
  follow(shape);
  return next;
}

/**
 * Tries to read the line by one of the newest shapes (remembered keys of lines) that have the line's
 * measurement. `named` is the hash of the measurement. Returns the address after the last newline that was read.
 * Returns OTHER_SHAPE when none of the tried shapes fits, and ODD_LINE when no shape was tried or the line needs
 * another parser.
 */
function tryShapes(batch: usize, named: u32, guess: u32, line: usize, end: usize, most: u32): usize {
  let tried: u32 = 0;
  for (let shape = firstShape(named); shape && tried < MOST_TRIED; shape = load<u32>(shapes + shape, S_OTHER)) {
    if (shape == guess || load<u32>(shapes + shape, S_HASH) != named) continue;
    tried++;
    const next = parseShaped(batch, shape, line, end, most);
    if (next > ODD_LINE) follow(shape);
    if (next != OTHER_SHAPE) return next;
  }
  return tried ? OTHER_SHAPE : ODD_LINE;
}

/**
 * Records which shape (remembered keys) the current line has; `shape` is 0 when the line has none. Also notes in the
 * shape of the previous line which shape followed it, so that the parser tries this shape first the next time.
 */
function follow(shape: u32): void {
  checkEpoch();
  if (last && shape) store<u32>(shapes + last, shape, S_FOLLOWER);
  last = shape;
}

/**
 * Clears the reference to the last line's shape (remembered keys) when all shapes were removed since the reference was
 * set.
 */
function checkEpoch(): void {
  if (lastEpoch == shapesEpoch) return;
  last = 0;
  lastEpoch = shapesEpoch;
}

// Corrects a point again after it was changed, for example by a script. The point lies on a tape, the binary form of
// points in WebAssembly memory.

import { head, point as pointLayout, pointRequired } from "../../wasm/tape.ts";
import type { Warning } from "../view.ts";
import type { Batch } from "./batch.ts";
import { requiredWarning, takeNewest } from "./notes.ts";
import { type Corrected, configure } from "./settings.ts";

/** Corrects the point, and adds the warnings that the point does not have yet. */
export function correctChanged(batch: Batch, index: number, corrected: Corrected): void {
  const { module, base } = batch;
  if (module.settings !== corrected) configure(module, base, corrected, { now: 0n });
  const notes = batch.head(head.noteCount);
  const flagsBefore = flagsOf(batch, index);
  const isWrong = module.exports.correctChanged(base, index) !== 0;
  module.refresh();
  batch.at(index);
  if (!isWrong) return;
  const made = madeBy(batch, index, corrected, notes, flagsBefore);
  const before = batch.warnings(index);
  const known = new Set(before.map(({ type, message }) => `${type} ${message}`));
  const isNew = ({ type, message }: Warning): boolean => !known.has(`${type} ${message}`);
  batch.setWarnings(index, [...before, ...made.filter(isNew)]);
}

/**
 * Returns the warnings for the corrections that the WebAssembly module has just made. The module records each
 * correction as a note on the tape (the binary form of points); `notes` is the number of notes that the batch had
 * before these corrections.
 */
function madeBy(batch: Batch, index: number, corrected: Corrected, notes: number, flagsBefore: number): Warning[] {
  const made = takeNewest(batch, notes, corrected);
  if ((flagsOf(batch, index) & ~flagsBefore & pointRequired) === 0) return made;
  // The flag `pointRequired` records that the point lacked a required key. The flag is cleared, because the
  // point's list of warnings now contains this information.
  batch.module.u32[batch.pointAt(index) + pointLayout.flags]! &= ~pointRequired;
  return [...made, ...requiredWarning(corrected.rules)];
}

function flagsOf(batch: Batch, index: number): number {
  return batch.module.u32[batch.pointAt(index) + pointLayout.flags]!;
}

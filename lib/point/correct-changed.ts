// The corrections of a point of a batch that was changed after it had been decoded, such as by a script: on the tape, but for the few things
// that only correct.ts knows (values that are not finite, empty lists and names).

import { head, point as pointLayout, pointRequired } from "../wasm/tape.ts";
import type { Batch } from "./batch.ts";
import { correctEntries } from "./correct.ts";
import { requiredWarning, takeNewest } from "./notes.ts";
import { type Corrected, configure } from "./settings.ts";
import type { Warning } from "./view.ts";

// Answers of the module: nothing was wrong, or notes say what was done.
const right = 0;
const noted = 1;

/** A warning that the point has already is not said again. */
export function correctChanged(batch: Batch, index: number, corrected: Corrected): void {
  const { module, base } = batch;
  if (module.settings !== corrected) configure(module, base, corrected, { now: 0n });
  const notes = batch.head(head.noteCount);
  const flagsBefore = flagsOf(batch, index);
  const found = module.exports.correctChanged(base, index);
  module.refresh();
  batch.at(index);
  if (found === right) return;
  const made = found === noted ? onTape(batch, index, corrected, notes, flagsBefore) : inJs(batch, index, corrected);
  const before = batch.warnings(index);
  const isNew = ({ type, message }: Warning): boolean =>
    !before.some((known) => known.type === type && known.message === message);
  batch.setWarnings(index, [...before, ...made.filter(isNew)]);
}

/** What the module did, `notes` being the number of notes before. */
function onTape(batch: Batch, index: number, corrected: Corrected, notes: number, flagsBefore: number): Warning[] {
  const made = takeNewest(batch, notes, corrected);
  if ((flagsOf(batch, index) & ~flagsBefore & pointRequired) === 0) return made;
  // The list of warnings says it.
  batch.module.u32[batch.pointAt(index) + pointLayout.flags]! &= ~pointRequired;
  return [...made, ...requiredWarning(corrected.rules)];
}

function inJs(batch: Batch, index: number, { rules, limits }: Corrected): Warning[] {
  const copy = batch.point(index);
  copy.warnings.length = 0;
  correctEntries(copy, rules, limits);
  const made = copy.warnings.splice(0);
  batch.replace(index, copy);
  return made;
}

function flagsOf(batch: Batch, index: number): number {
  return batch.module.u32[batch.pointAt(index) + pointLayout.flags]!;
}

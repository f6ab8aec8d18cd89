// Runs a grok expression over a string in WebAssembly memory: the WebAssembly module searches the string without
// copying it and writes the captures as keys of the point. Each grok call in a script has one CapturePlan, which stores
// its plan in WebAssembly memory: a table with one row for each capture. A row names its key by the id of the key in a
// batch, so the plan is written again when another batch is used.

import { TYPE_BOOL, TYPE_FLOAT, TYPE_INT, TYPE_STRING } from "../../../grok/capture-layout.ts";
import type { CaptureGroup, Grok } from "../../../grok/grok.ts";
import type { FieldType } from "../../../grok/patterns.ts";
import type { Batch } from "../../../point/batch/batch.ts";
import type { Cursor } from "../../../point/batch/cursor.ts";
import { addressAt, isTextAt, lengthAt } from "../../../point/batch/in-place.ts";
import { Float } from "../../../point/value.ts";
import type { Key } from "../../../point/view.ts";
import { isInModule, type ModuleEngine } from "../../../regex/engines/engine.ts";
import { integer } from "../../../text/integer.ts";
import { writeKey } from "../../runtime/point-access.ts";
import type { Run } from "../../runtime/run.ts";
import { chargeWork } from "../../runtime/step-charge.ts";
import {
  FOUND,
  MISSED,
  PLAN_COUNT,
  PLAN_LENGTH,
  PLAN_ROW,
  PLAN_ROWS,
  PLAN_TEXT,
  PLAN_TRIM,
  PLAN_VALUE,
  R_GROUP,
  R_KEY,
  R_NEXT,
  R_PREVIOUS,
  R_TYPE,
  ROW_SIZE,
  UNDECIDED,
} from "./capture-layout.ts";

const types: Readonly<Record<FieldType, number>> = {
  string: TYPE_STRING,
  int: TYPE_INT,
  float: TYPE_FLOAT,
  bool: TYPE_BOOL,
};

export class CapturePlan {
  private readonly matcher: Grok;
  private readonly keys: readonly Key[];
  private readonly rows: readonly CaptureGroup[];
  /**
   * The plan (the table of captures) as 32-bit words. The ids of the keys are missing, because they differ in each
   * batch of points.
   */
  private readonly words: Uint32Array;
  private batch: Batch | null = null;
  private address = 0;

  constructor(matcher: Grok, keys: readonly Key[], trim: boolean) {
    this.matcher = matcher;
    this.keys = keys;
    this.rows = matcher.captureGroups();
    this.words = planOf(this.rows, matcher, trim);
  }

  /**
   * Matches the string value of a key and writes the captures to the point. Returns undefined when JavaScript must
   * match the string instead.
   */
  run(run: Run, cursor: Cursor, key: Key): boolean | undefined {
    const { engine } = this.matcher;
    const { batch } = cursor;
    if (!isInModule(engine) || engine.module !== batch.module) return undefined;
    if (this.batch !== batch) this.lay(batch);
    const machine = engine.machineAt;
    if (machine !== 0) {
      const { exports } = batch.module;
      const id = key.batch === batch ? key.id : batch.resolve(key);
      const slots = engine.slotsAt;
      const serial = cursor.marked();
      const answer = exports.matchEntry(machine, batch.base, cursor.address, serial, id, this.address, slots);
      batch.module.refresh();
      const { u32 } = batch.module;
      const { address } = this;
      if (answer !== UNDECIDED) {
        engine.countOne();
        chargeWork(run, u32[(address + PLAN_LENGTH) >>> 2]!);
        if (answer === FOUND)
          this.write(run, cursor, u32[(address + PLAN_ROW) >>> 2]!, u32[(address + PLAN_TEXT) >>> 2]!, slots);
        return answer !== MISSED;
      }
    }
    return this.search(run, cursor, key, engine);
  }

  /**
   * Matches the string value of a key and writes the captures to the point, as `run` does. The search runs through the
   * regular-expression engine in JavaScript, which builds the missing parts of its tables during the search.
   */
  private search(run: Run, cursor: Cursor, key: Key, engine: ModuleEngine): boolean | undefined {
    const at = cursor.at(key);
    if (at < 0) return false;
    if (!isTextAt(cursor, at)) return undefined;
    const { batch } = cursor;
    const base = addressAt(cursor, at);
    const length = lengthAt(cursor, at);
    const slots = engine.searchAt(base, length);
    batch.module.refresh();
    if (slots < 0) return undefined;
    chargeWork(run, length);
    if (slots === 0) return false;
    const { exports } = batch.module;
    const row = exports.writeCaptures(batch.base, cursor.address, cursor.serial, this.address, 0, base, slots);
    batch.module.refresh();
    this.write(run, cursor, row, base, slots);
    return true;
  }

  /**
   * Writes the captures of row `from` and of all later rows of the plan (the table of captures). Called when the
   * WebAssembly module cannot write row `from` by itself.
   */
  private write(run: Run, cursor: Cursor, from: number, base: number, slots: number): void {
    const { batch } = cursor;
    const { module } = batch;
    for (let row = from; row < this.rows.length; ) {
      this.writeRow(run, batch, row);
      const serial = cursor.marked();
      row = module.exports.writeCaptures(batch.base, cursor.address, serial, this.address, row + 1, base, slots);
      module.refresh();
    }
  }

  /**
   * Writes one capture to a tag. The WebAssembly module has already converted the capture to a number or bool, but
   * only JavaScript writes such values to tags.
   */
  private writeRow(run: Run, batch: Batch, row: number): void {
    const { field } = this.rows[row]!;
    const { f64, i64 } = batch.module;
    const at = (this.address + PLAN_VALUE) >>> 3;
    const { type } = this.matcher.fields[field]!;
    const value = type === "float" ? new Float(f64[at]!) : type === "bool" ? i64[at] !== 0n : integer(i64[at]!);
    writeKey(run, this.keys[field]!, value);
  }

  private lay(batch: Batch): void {
    const { rows, keys, words } = this;
    for (const key of keys) if (key.batch !== batch) batch.resolve(key);
    const address = batch.take(words.length * 4);
    const { u32 } = batch.module;
    u32.set(words, address >>> 2);
    rows.forEach(({ field }, index) => {
      u32[(address + rowAt(index) + R_KEY) >>> 2] = keys[field]!.id;
    });
    this.address = address;
    this.batch = batch;
  }
}

/** Returns the offset of a row in the plan. */
const rowAt = (index: number): number => PLAN_ROWS + index * ROW_SIZE;

function planOf(rows: readonly CaptureGroup[], { fields }: Grok, trim: boolean): Uint32Array {
  const words = new Uint32Array(rowAt(rows.length) >>> 2);
  words[PLAN_COUNT >>> 2] = rows.length;
  words[PLAN_TRIM >>> 2] = trim ? 1 : 0;
  rows.forEach(({ group, field }, index) => {
    const row = rowAt(index);
    words[(row + R_GROUP) >>> 2] = group;
    words[(row + R_TYPE) >>> 2] = types[fields[field]!.type];
    words[(row + R_NEXT) >>> 2] = rows.findIndex((other, place) => place > index && other.field === field) + 1;
    words[(row + R_PREVIOUS) >>> 2] = rows.slice(0, index).findLastIndex((other) => other.field === field) + 1;
  });
  return words;
}

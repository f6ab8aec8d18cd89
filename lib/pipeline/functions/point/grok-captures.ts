// Runs a grok expression over a string in WebAssembly memory: the WebAssembly module searches the string without
// copying it and writes the captures as keys of the point. Each grok call in a script has one CapturePlan, which stores
// its plan in WebAssembly memory: a table with one row for each capture. A row names its key by the id of the key in a
// batch, so the plan is written again when another batch is used.

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

// Layout of a plan (the table of captures) and of its rows in 32-bit words; assembly/script/captures.ts reads them.
const planWords = 8;
const plan = { count: 0, trim: 1, length: 2, text: 3, row: 4, value: 6 } as const;
const rowWords = 5;
/** Result codes of one search by the WebAssembly module. */
const searchResult = { missed: 0, written: 1, found: 2, undecided: 3 } as const;
const types: Readonly<Record<FieldType, number>> = { string: 0, int: 1, float: 2, bool: 3 };

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
      const at = this.address >>> 2;
      if (answer !== searchResult.undecided) {
        engine.countOne();
        chargeWork(run, u32[at + plan.length]!);
        if (answer === searchResult.found) this.write(run, cursor, u32[at + plan.row]!, u32[at + plan.text]!, slots);
        return answer !== searchResult.missed;
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
    const at = ((this.address >>> 2) + plan.value) >>> 1;
    const { type } = this.matcher.fields[field]!;
    const value = type === "float" ? new Float(f64[at]!) : type === "bool" ? i64[at] !== 0n : integer(i64[at]!);
    writeKey(run, this.keys[field]!, value);
  }

  private lay(batch: Batch): void {
    const { rows, keys, words } = this;
    for (const key of keys) if (key.batch !== batch) batch.resolve(key);
    const address = batch.take(words.length * 4);
    const { u32 } = batch.module;
    const at = address >>> 2;
    u32.set(words, at);
    for (let row = 0; row < rows.length; row++) u32[at + planWords + row * rowWords + 1] = keys[rows[row]!.field]!.id;
    this.address = address;
    this.batch = batch;
  }
}

function planOf(rows: readonly CaptureGroup[], { fields }: Grok, trim: boolean): Uint32Array {
  const words = new Uint32Array(planWords + rows.length * rowWords);
  words[plan.count] = rows.length;
  words[plan.trim] = trim ? 1 : 0;
  rows.forEach(({ group, field }, index) => {
    const row = planWords + index * rowWords;
    words[row] = group;
    words[row + 2] = types[fields[field]!.type];
    words[row + 3] = rows.findIndex((other, place) => place > index && other.field === field) + 1;
    words[row + 4] = rows.slice(0, index).findLastIndex((other) => other.field === field) + 1;
  });
  return words;
}

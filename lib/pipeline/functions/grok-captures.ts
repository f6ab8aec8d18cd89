// A grok expression over text on a tape: searched where it lies, its captures written as entries by the module. One per call site; what the
// module asks of it, keys by their ids in the batch, lies on the heap of the batch that was run last.

import type { Grok } from "../../grok/grok.ts";
import type { FieldType } from "../../grok/patterns.ts";
import type { Batch } from "../../point/batch.ts";
import type { Cursor } from "../../point/cursor.ts";
import { addressAt, lengthAt } from "../../point/in-place.ts";
import type { Key } from "../../point/view.ts";
import { writeKey } from "../point-access.ts";
import type { Run } from "../run.ts";

// Words of a plan and its rows; assembly/script/captures.ts reads them.
const planWords = 2;
const rowWords = 5;
const types: Readonly<Record<FieldType, number>> = { string: 0, int: 1, float: 2, bool: 3 };

export class CapturePlan {
  private readonly matcher: Grok;
  private readonly keys: readonly Key[];
  private readonly trim: boolean;
  private readonly rows: ReturnType<Grok["captureGroups"]>;
  private batch: Batch | null = null;
  private address = 0;

  constructor(matcher: Grok, keys: readonly Key[], trim: boolean) {
    this.matcher = matcher;
    this.keys = keys;
    this.trim = trim;
    this.rows = matcher.captureGroups();
  }

  /** Matches the text at `at` and writes its captures; undefined: it has to be matched the slow way. */
  run(run: Run, cursor: Cursor, at: number): boolean | undefined {
    const { engine } = this.matcher;
    const { batch } = cursor;
    if (engine.searchAt === undefined || engine.module !== batch.module) return undefined;
    const base = addressAt(cursor, at);
    const slots = engine.searchAt(base, lengthAt(cursor, at));
    if (slots <= 0) return slots === 0 ? false : undefined;
    batch.module.refresh();
    if (this.batch !== batch) this.lay(batch);
    const { exports } = batch.module;
    for (let row = 0; ; row++) {
      const point = batch.pointAt(cursor.index) << 2;
      row = exports.writeCaptures(batch.base, point, cursor.serial, this.address, row, base, slots);
      batch.module.refresh();
      if (row === this.rows.length) return true;
      this.writeRow(run, batch, row, base, slots);
    }
  }

  /** A row that the module leaves to JavaScript. */
  private writeRow(run: Run, batch: Batch, row: number, base: number, slots: number): void {
    const { group, field } = this.rows[row]!;
    const { i32, u8 } = batch.module;
    const start = i32[(slots >> 2) + group * 2]!;
    const end = i32[(slots >> 2) + group * 2 + 1]!;
    const value = this.matcher.valueOf(u8.subarray(base), start, end, this.trim, field);
    writeKey(run, this.keys[field]!, value);
  }

  private lay(batch: Batch): void {
    const { rows, keys, matcher } = this;
    const ids = keys.map((key) => batch.resolve(key));
    const address = batch.take((planWords + rows.length * rowWords) * 4);
    const { u32 } = batch.module;
    const at = address >>> 2;
    u32[at] = rows.length;
    u32[at + 1] = this.trim ? 1 : 0;
    rows.forEach(({ group, field }, index) => {
      const row = at + planWords + index * rowWords;
      u32[row] = group;
      u32[row + 1] = ids[field]!;
      u32[row + 2] = types[matcher.fields[field]!.type];
      u32[row + 3] = rows.findIndex((other, place) => place > index && other.field === field) + 1;
      u32[row + 4] = rows.slice(0, index).findLastIndex((other) => other.field === field) + 1;
    });
    this.address = address;
    this.batch = batch;
  }
}

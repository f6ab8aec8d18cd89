// Operations: statements that the WebAssembly module can run by itself over a point in its memory
// (assembly/script/operations.ts). Such a statement is a call of a function whose arguments are keys and literals that
// are known when the script is compiled. Several such statements in a row form a plan, which runs by one call of the
// WebAssembly module.

import type { Batch } from "../../point/batch/batch.ts";
import type { Cursor } from "../../point/batch/cursor.ts";
import type { Key, Literal } from "../../point/view.ts";
import type { Evaluate } from "./code.ts";
import { IndexedMap } from "./lazy/indexed-map.ts";
import type { Run } from "./run.ts";

const codes = {
  nullif: 0,
  castInt: 1,
  groupBetween: 2,
  addText: 3,
  tagText: 4,
  drop: 5,
  rename: 6,
  readTime: 7,
  copyMember: 8,
  lowercase: 9,
  uppercase: 10,
  groupIn: 11,
} as const;

/** A member of the map in a variable, such as `d["a"]`, or of a map inside this map, such as `d["a"]["b"]`. */
export interface MemberOperand {
  /** Slot (index into the run's array of variables) of the variable. */
  readonly slot: number;
  readonly name: Literal;
  readonly inner: Literal | null;
}

export interface TapeOperation {
  readonly code: keyof typeof codes;
  /**
   * The key that the operation reads. For an operation with only one key this is that key, even when the operation
   * writes to the key.
   */
  readonly key: Key;
  /** The key that the operation writes to. */
  readonly target?: Key;
  readonly text?: Literal;
  /** The member that `copyMember` copies. */
  readonly member?: MemberOperand;
  /** The strings with which `groupIn` compares the value of the key. */
  readonly texts?: readonly Literal[];
  readonly low?: number;
  readonly high?: number;
}

const operations = new WeakMap<Evaluate, TapeOperation>();

/**
 * Records that `operation`, an operation of the WebAssembly module, does the same work as the compiled call `evaluate`,
 * so that the module may run in place of the call. When `operation` is null, the module cannot do this work, and
 * nothing is recorded. Returns `evaluate`.
 */
export function registerOperation(operation: TapeOperation | null, evaluate: Evaluate): Evaluate {
  if (operation !== null) operations.set(evaluate, operation);
  return evaluate;
}

export function operationOf(evaluate: unknown): TapeOperation | undefined {
  return operations.get(evaluate as Evaluate);
}

// Layout in 32-bit words of a plan (a sequence of operations) and of its operations, as the WebAssembly module reads
// them.
const planWords = 4;
const mapAddress = 2;
const keptBytes = 3;
const operationWords = 10;
const code = 0;
const readKey = 1;
const writtenKey = 2;
const textAddress = 3;
const textLength = 4;
const lowBound = 6;
const highBound = 8;
const innerAddress = 6;
const innerLength = 7;
const textsAddress = 6;
const textsCount = 7;
/** Words that each of the texts of `groupIn` takes: its address and its length. */
const textWords = 2;

/** Most bytes that `lowercase` or `uppercase` write; JavaScript runs these operations for longer strings. */
const longestCased = 256;

/**
 * A plan: operations that run one after the other. The plan is stored in the WebAssembly memory of the batch of points
 * that was used last.
 */
export class OperationPlan {
  private readonly list: readonly TapeOperation[];
  private batch: Batch | null = null;
  private address = 0;

  /**
   * Slot (index into the run's array of variables) of the variable that holds the map from which the operations copy
   * members; -1 when they copy none.
   */
  private readonly slot: number;
  /** Number of operations that copy a member. */
  private readonly copies: number;
  /** Most bytes that the operations write for strings whose letters they change. */
  private readonly mostCased: number;

  /**
   * Makes the plan of the operations in `list`. All operations that copy members must copy them from the same variable.
   */
  constructor(list: readonly TapeOperation[]) {
    this.list = list;
    const copying = list.filter(({ member }) => member !== undefined);
    this.copies = copying.length;
    this.slot = copying[0]?.member?.slot ?? -1;
    this.mostCased = longestCased * list.filter(({ code }) => code === "lowercase" || code === "uppercase").length;
  }

  /**
   * Runs the operations and subtracts their steps from the run. Returns the index of the first operation that the
   * WebAssembly module leaves to JavaScript, or the number of operations when the module has run all of them.
   */
  run(run: Run, cursor: Cursor): number {
    const { batch } = cursor;
    if (this.mostCased > 0 && !run.memory.hasRoomForCopies(this.mostCased)) return 0;
    if (this.batch !== batch) this.lay(batch);
    const { module } = batch;
    if (this.slot >= 0) {
      const map = this.mapRecord(run, batch);
      if (map === 0 && this.list[0]!.member !== undefined) return 0;
      module.u32[(this.address >>> 2) + mapAddress] = map;
    }
    const limit = run.steps < 0x7fffffff ? Math.max(run.steps, 0) : 0x7fffffff;
    const serial = cursor.marked();
    const stopped = module.exports.runOperations(batch.base, cursor.address, serial, this.address, limit);
    module.refresh();
    const at = this.address >>> 2;
    run.steps -= module.i32[at]!;
    const kept = module.u32[at + keptBytes]!;
    if (kept > 0) run.memory.keep(kept);
    return stopped;
  }

  /**
   * Returns the address of the record of the map from which the operations copy members; 0 when the module must not copy
   * from the value of the variable, or when the memory limit may leave no room for the copies.
   */
  private mapRecord(run: Run, batch: Batch): number {
    const map = run.locals[this.slot];
    const record = map instanceof IndexedMap ? map.untouchedRecord(batch) : 0;
    return record !== 0 && run.memory.hasRoomForCopies(this.copies * (map as IndexedMap).textLength) ? record : 0;
  }

  private lay(batch: Batch): void {
    const { list } = this;
    const { module } = batch;
    const address = batch.take((planWords + list.length * operationWords) * 4);
    const first = address >>> 2;
    module.u32[first + 1] = list.length;
    for (let index = 0; index < list.length; index++) {
      const { code: name, key, target, member, text = member?.name, low = 0, high = 0, texts } = list[index]!;
      const keyId = idIn(batch, key);
      const targetId = target === undefined ? 0 : idIn(batch, target);
      const place = text === undefined ? 0 : batch.placeLiteral(text);
      const inner = member?.inner ?? null;
      const innerPlace = inner === null ? 0 : batch.placeLiteral(inner);
      const textsPlace = texts === undefined ? 0 : layTexts(batch, texts);
      // `idIn`, `placeLiteral` and `layTexts` may have grown the WebAssembly memory, which makes earlier typed arrays over it
      // unusable. So the typed arrays are taken from the module again.
      const { u32, f64 } = module;
      const at = first + planWords + index * operationWords;
      u32[at + code] = codes[name];
      u32[at + readKey] = keyId;
      u32[at + writtenKey] = targetId;
      u32[at + textAddress] = place;
      u32[at + textLength] = text === undefined ? 0 : text.bytes.length;
      f64[(at + lowBound) >>> 1] = low;
      f64[(at + highBound) >>> 1] = high;
      if (inner !== null) {
        u32[at + innerAddress] = innerPlace;
        u32[at + innerLength] = inner.bytes.length;
      }
      if (texts !== undefined) {
        u32[at + textsAddress] = textsPlace;
        u32[at + textsCount] = texts.length;
      }
    }
    this.address = address;
    this.batch = batch;
  }
}

function idIn(batch: Batch, key: Key): number {
  return key.batch === batch ? key.id : batch.resolve(key);
}

/** Writes the addresses and lengths of literals to the memory of a batch, and returns the address of the list. */
function layTexts(batch: Batch, texts: readonly Literal[]): number {
  const places = texts.map((text) => batch.placeLiteral(text));
  const address = batch.take(texts.length * textWords * 4);
  const { u32 } = batch.module;
  texts.forEach(({ bytes }, index) => {
    u32[(address >>> 2) + index * textWords] = places[index]!;
    u32[(address >>> 2) + index * textWords + 1] = bytes.length;
  });
  return address;
}

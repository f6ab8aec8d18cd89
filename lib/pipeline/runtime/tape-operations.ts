// Operations: statements that the WebAssembly module can run by itself over a point in its memory
// (assembly/script/operations.ts). Such a statement is a call of a function whose arguments are keys and literals that
// are known when the script is compiled. Several such statements in a row form a plan, which runs by one call of the
// WebAssembly module.

import type { Batch } from "../../point/batch/batch.ts";
import type { Cursor } from "../../point/batch/cursor.ts";
import type { Key, Literal } from "../../point/view.ts";
import type { Evaluate } from "./code.ts";
import { IndexedMap } from "./lazy/indexed-map.ts";
import {
  ADD_TEXT,
  CAST_INT,
  COPY_MEMBER,
  DROP,
  GROUP_BETWEEN,
  GROUP_IN,
  LONGEST_CASED,
  LOWERCASE,
  NULLIF,
  O_CODE,
  O_HIGH,
  O_INNER,
  O_INNER_LENGTH,
  O_KEY,
  O_LENGTH,
  O_LOW,
  O_TARGET,
  O_TEXT,
  O_TEXT_COUNT,
  O_TEXTS,
  OPERATION_SIZE,
  PLAN_COUNT,
  PLAN_KEPT,
  PLAN_MAP,
  PLAN_OPERATIONS,
  PLAN_STEPS,
  READ_TIME,
  RENAME,
  T_LENGTH,
  TAG_TEXT,
  TEXT_SIZE,
  UPPERCASE,
} from "./operation-layout.ts";
import type { Run } from "./run.ts";

const codes = {
  nullif: NULLIF,
  castInt: CAST_INT,
  groupBetween: GROUP_BETWEEN,
  addText: ADD_TEXT,
  tagText: TAG_TEXT,
  drop: DROP,
  rename: RENAME,
  readTime: READ_TIME,
  copyMember: COPY_MEMBER,
  lowercase: LOWERCASE,
  uppercase: UPPERCASE,
  groupIn: GROUP_IN,
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
    this.mostCased = LONGEST_CASED * list.filter(({ code }) => code === "lowercase" || code === "uppercase").length;
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
      module.u32[(this.address + PLAN_MAP) >>> 2] = map;
    }
    const limit = run.steps < 0x7fffffff ? Math.max(run.steps, 0) : 0x7fffffff;
    const serial = cursor.marked();
    const stopped = module.exports.runOperations(batch.base, cursor.address, serial, this.address, limit);
    module.refresh();
    run.steps -= module.i32[(this.address + PLAN_STEPS) >>> 2]!;
    const kept = module.u32[(this.address + PLAN_KEPT) >>> 2]!;
    if (kept > 0) run.memory.keep(kept);
    return stopped;
  }

  /**
   * Returns the address of the record of the map from which the operations copy members; 0 when the module must not
   * copy from the value of the variable, or when the memory limit may leave no room for the copies.
   */
  private mapRecord(run: Run, batch: Batch): number {
    const map = run.locals[this.slot];
    const record = map instanceof IndexedMap ? map.untouchedRecord(batch) : 0;
    return record !== 0 && run.memory.hasRoomForCopies(this.copies * (map as IndexedMap).textLength) ? record : 0;
  }

  private lay(batch: Batch): void {
    const { list } = this;
    const { module } = batch;
    const address = batch.take(PLAN_OPERATIONS + list.length * OPERATION_SIZE);
    module.u32[(address + PLAN_COUNT) >>> 2] = list.length;
    for (let index = 0; index < list.length; index++) {
      const { code: name, key, target, member, text = member?.name, low = 0, high = 0, texts } = list[index]!;
      const keyId = idIn(batch, key);
      const targetId = target === undefined ? 0 : idIn(batch, target);
      const place = text === undefined ? 0 : batch.placeLiteral(text);
      const inner = member?.inner ?? null;
      const innerPlace = inner === null ? 0 : batch.placeLiteral(inner);
      const textsPlace = texts === undefined ? 0 : layTexts(batch, texts);
      // `idIn`, `placeLiteral` and `layTexts` may have grown the WebAssembly memory, which makes earlier typed arrays
      // over it unusable. So the typed arrays are taken from the module again.
      const { u32, f64 } = module;
      const at = address + PLAN_OPERATIONS + index * OPERATION_SIZE;
      u32[(at + O_CODE) >>> 2] = codes[name];
      u32[(at + O_KEY) >>> 2] = keyId;
      u32[(at + O_TARGET) >>> 2] = targetId;
      u32[(at + O_TEXT) >>> 2] = place;
      u32[(at + O_LENGTH) >>> 2] = text === undefined ? 0 : text.bytes.length;
      f64[(at + O_LOW) >>> 3] = low;
      f64[(at + O_HIGH) >>> 3] = high;
      if (inner !== null) {
        u32[(at + O_INNER) >>> 2] = innerPlace;
        u32[(at + O_INNER_LENGTH) >>> 2] = inner.bytes.length;
      }
      if (texts !== undefined) {
        u32[(at + O_TEXTS) >>> 2] = textsPlace;
        u32[(at + O_TEXT_COUNT) >>> 2] = texts.length;
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
  const address = batch.take(texts.length * TEXT_SIZE);
  const { u32 } = batch.module;
  texts.forEach(({ bytes }, index) => {
    const at = address + index * TEXT_SIZE;
    u32[at >>> 2] = places[index]!;
    u32[(at + T_LENGTH) >>> 2] = bytes.length;
  });
  return address;
}

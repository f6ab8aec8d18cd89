// The function kv_split over a string in WebAssembly memory, when each separator is one byte and only ASCII characters
// are trimmed. The WebAssembly module finds the pairs of key and value and writes the values as slices of the string.

import type { Batch } from "../../../point/batch/batch.ts";
import type { Cursor } from "../../../point/batch/cursor.ts";
import { addressAt, lengthAt } from "../../../point/batch/in-place.ts";
import { Key, Literal } from "../../../point/view.ts";
import type { Expr } from "../../syntax/ast.ts";

/**
 * Largest number of wanted keys, which are the keys that the call of kv_split lists. The number is limited because the
 * WebAssembly module compares each key of the text with all wanted keys in turn.
 */
const mostWanted = 32;

/** Returns the single ASCII character that a regular expression matches, as a byte; null for any other expression. */
function plainSeparator(expression: string): number | null {
  return /^[\0-\x7f]$/.test(expression) && !/[\\.+*?()|[\]{}^$]/.test(expression) ? expression.charCodeAt(0) : null;
}

/**
 * Returns a table that marks the ASCII characters of a set, indexed by character code; null when the set has other
 * characters.
 */
function asciiSet(characters: ReadonlySet<string>): Uint8Array | null {
  const set = new Uint8Array(256);
  for (const character of characters) {
    const code = character.codePointAt(0)!;
    if (code >= 0x80) return null;
    set[code] = 1;
  }
  return set;
}

/** Returns the different values of a list literal that contains only strings; null for any other argument. */
function literalTexts(node: Expr | undefined): Literal[] | null {
  if (node?.kind !== "ListLiteral") return null;
  const texts = new Map<string, Literal>();
  for (const item of node.items) {
    if (item.kind !== "StringLiteral") return null;
    const literal = new Literal(item.value);
    if (!literal.isComparable) return null;
    texts.set(item.value, literal);
  }
  return texts.size > mostWanted ? null : [...texts.values()];
}

export interface SplitArguments {
  /** Regular expression of the separator between pairs. */
  readonly fields: string;
  /** Regular expression of the separator between a key and its value. */
  readonly values: string;
  readonly trimKey: ReadonlySet<string>;
  readonly trimValue: ReadonlySet<string>;
  readonly listed: Expr | undefined;
  readonly prefix: string;
}

// Layout in 32-bit words of a plan (the list, in WebAssembly memory, of the keys that a call of kv_split wants) and of
// its rows; assembly/script/pairs.ts reads them.
const planWords = 5;
const rowWords = 6;

/**
 * The plan (the list of the keys that the call wants) of one kv_split call in a script. It lies in the WebAssembly
 * memory of the batch that was used last.
 */
export class PairPlan {
  private readonly fields: number;
  private readonly values: number;
  private readonly trimKey: Uint8Array;
  private readonly trimValue: Uint8Array;
  private readonly wanted: readonly Literal[];
  private readonly keys: readonly Key[];
  private batch: Batch | null = null;
  private address = 0;

  private constructor(
    fields: number,
    values: number,
    trimKey: Uint8Array,
    trimValue: Uint8Array,
    wanted: readonly Literal[],
    prefix: string,
  ) {
    this.fields = fields;
    this.values = values;
    this.trimKey = trimKey;
    this.trimValue = trimValue;
    this.wanted = wanted;
    this.keys = wanted.map(({ text }) => new Key(prefix + text));
  }

  /**
   * Makes a plan (the list of the keys that a call of kv_split wants). Returns null when the WebAssembly module cannot
   * handle the arguments by comparing bytes.
   */
  static of({ fields, values, trimKey, trimValue, listed, prefix }: SplitArguments): PairPlan | null {
    const [field, value] = [plainSeparator(fields), plainSeparator(values)];
    const [keyEnds, valueEnds] = [asciiSet(trimKey), asciiSet(trimValue)];
    const wanted = literalTexts(listed);
    if (field === null || value === null || keyEnds === null || valueEnds === null || wanted === null) return null;
    return new PairPlan(field, value, keyEnds, valueEnds, wanted, prefix);
  }

  /**
   * Splits the string value of a key of the point into pairs, and writes to the point each pair whose key is a wanted
   * key of the kv_split call. `at` is the index of the key in the point. Returns false when there is no such pair.
   */
  run(cursor: Cursor, at: number): boolean {
    const { batch } = cursor;
    if (this.batch !== batch) this.lay(batch);
    const { module, base } = batch;
    const [text, length] = [addressAt(cursor, at), lengthAt(cursor, at)];
    const found = module.exports.splitPairs(base, cursor.address, cursor.serial, this.address, text, length);
    module.refresh();
    return found > 0;
  }

  private lay(batch: Batch): void {
    const { wanted, keys } = this;
    const ids = keys.map((key) => batch.resolve(key));
    const names = wanted.map((literal) => batch.placeLiteral(literal));
    const sets = [this.trimKey, this.trimValue].map((set) => (set.includes(1) ? batch.write(set) : 0));
    const address = batch.take((planWords + wanted.length * rowWords) * 4);
    const { u32 } = batch.module;
    const at = address >>> 2;
    u32.set([this.fields, this.values, sets[0]!, sets[1]!, wanted.length], at);
    wanted.forEach(({ bytes }, row) => {
      u32.set([names[row]!, bytes.length, ids[row]!, 0, 0, 0], at + planWords + row * rowWords);
    });
    this.address = address;
    this.batch = batch;
  }
}

// A hash table (open addressing) whose keys are short UTF-8 strings. A value is looked up by bytes in memory, so no
// JavaScript string has to be made.

interface Row<T> {
  readonly bytes: Uint8Array;
  value: T;
}

export class TextTable<T> {
  size = 0;
  private rows: (Row<T> | undefined)[] = new Array(16).fill(undefined);
  private longest = 0;

  set(bytes: Uint8Array, value: T): void {
    if (this.size * 2 >= this.rows.length) this.spread();
    const at = this.slot(bytes, 0, bytes.length);
    if (this.rows[at] === undefined) this.size++;
    this.rows[at] = { bytes, value };
    if (bytes.length > this.longest) this.longest = bytes.length;
  }

  /** Returns the value for the key `bytes[start, start + length)`; undefined when there is none. */
  find(bytes: Uint8Array, start: number, length: number): T | undefined {
    if (length > this.longest) return undefined;
    return this.rows[this.slot(bytes, start, length)]?.value;
  }

  clear(): void {
    this.rows.fill(undefined);
    this.size = 0;
    this.longest = 0;
  }

  /**
   * Returns the slot (index in the table) of the key. When the table does not have the key, returns the free slot in
   * which it would be stored.
   */
  private slot(bytes: Uint8Array, start: number, length: number): number {
    const { rows } = this;
    const mask = rows.length - 1;
    let hash = length;
    for (let at = start; at < start + length; at++) hash = (Math.imul(hash, 31) + bytes[at]!) | 0;
    for (let at = (hash ^ (hash >>> 7)) & mask; ; at = (at + 1) & mask) {
      const row = rows[at];
      if (row === undefined || isText(row.bytes, bytes, start, length)) return at;
    }
  }

  private spread(): void {
    const { rows } = this;
    this.rows = new Array(rows.length * 2).fill(undefined);
    for (const row of rows) if (row !== undefined) this.rows[this.slot(row.bytes, 0, row.bytes.length)] = row;
  }
}

function isText(text: Uint8Array, bytes: Uint8Array, start: number, length: number): boolean {
  if (text.length !== length) return false;
  for (let at = 0; at < length; at++) if (text[at] !== bytes[start + at]) return false;
  return true;
}

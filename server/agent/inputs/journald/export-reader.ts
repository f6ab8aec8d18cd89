// Reads the export format of the journal (systemd.io/JOURNAL_EXPORT_FORMATS). A field is `KEY=value` and a line feed. A
// field whose value holds line feeds or other control characters is `KEY`, a line feed, the length of the value (64
// bits, little-endian), the value, and a line feed. An empty line ends an entry. Only the fields of one entry are in
// memory, each up to a limit.

export interface ExportOptions {
  /** The keys of journal fields whose values are read; all other fields are skipped. */
  readonly wanted: ReadonlySet<string>;
  /** Largest length of a field's value in bytes; a longer value is cut. */
  readonly mostBytes: number;
  /**
   * Called for each entry, with the first value of each wanted key. `isCut`: whether a value of the entry was
   * longer than `mostBytes` and was cut. The bytes are valid only during the call.
   */
  take(entry: ReadonlyMap<string, Uint8Array>, isCut: boolean): void;
}

/** Largest length of a key in bytes. The keys of the journal have at most 64 bytes. */
const mostKeyBytes = 256;
const [lineFeed, equal] = [0x0a, 0x3d];

/** A buffer for bytes that grows up to a limit. */
class Value {
  private memory = new Uint8Array(256);
  length = 0;

  /** Adds bytes up to the limit. Returns false when not all of the bytes fit. */
  add(bytes: Uint8Array, from: number, to: number, most: number): boolean {
    const end = Math.min(to, from + most - this.length);
    const length = this.length + Math.max(0, end - from);
    if (length > this.memory.length) {
      const larger = new Uint8Array(Math.max(2 * this.memory.length, length));
      larger.set(this.bytes);
      this.memory = larger;
    }
    if (end > from) this.memory.set(bytes.subarray(from, end), this.length);
    this.length = length;
    return end >= to;
  }

  get bytes(): Uint8Array {
    return this.memory.subarray(0, this.length);
  }
}

export class ExportReader {
  private readonly options: ExportOptions;
  private state: "key" | "value" | "length" | "data" | "end" = "key";
  private readonly key = new Value();
  /** The part of a field's value that was read so far; undefined when the key of the field is not wanted. */
  private value: Value | undefined;
  private name = "";
  private readonly lengthBytes: number[] = [];
  /**
   * Number of bytes of the current value that have not arrived yet. Used only for a value whose length the journal
   * writes before the value.
   */
  private missing = 0;
  private readonly entry = new Map<string, Uint8Array>();
  private isCut = false;
  private hasFields = false;

  constructor(options: ExportOptions) {
    this.options = options;
  }

  /** Reads the next bytes of the stream. Throws an Error when the bytes do not have the export format. */
  read(chunk: Uint8Array): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.state === "key") at = this.readKey(chunk, at);
      else if (this.state === "value") at = this.readValue(chunk, at);
      else if (this.state === "length") at = this.readLength(chunk, at);
      else if (this.state === "data") at = this.readData(chunk, at);
      else at = this.readEnd(chunk, at);
    }
  }

  private readKey(chunk: Uint8Array, from: number): number {
    let at = from;
    while (at < chunk.length && chunk[at] !== lineFeed && chunk[at] !== equal) at++;
    if (!this.key.add(chunk, from, at, mostKeyBytes)) throw new Error("a key of the journal is too long");
    if (at === chunk.length) return at;
    if (chunk[at] === lineFeed && this.key.length === 0) {
      this.finishEntry();
      return at + 1;
    }
    this.name = Buffer.from(this.key.bytes).toString("latin1");
    this.key.length = 0;
    const isWanted = this.options.wanted.has(this.name) && !this.entry.has(this.name);
    this.value = isWanted ? new Value() : undefined;
    this.state = chunk[at] === equal ? "value" : "length";
    this.lengthBytes.length = 0;
    return at + 1;
  }

  private readValue(chunk: Uint8Array, from: number): number {
    const found = chunk.indexOf(lineFeed, from);
    const to = found < 0 ? chunk.length : found;
    this.addToValue(chunk, from, to);
    if (found < 0) return to;
    this.finishField();
    return to + 1;
  }

  private readLength(chunk: Uint8Array, from: number): number {
    this.lengthBytes.push(chunk[from]!);
    if (this.lengthBytes.length === 8) {
      const length = Buffer.from(this.lengthBytes).readBigUInt64LE();
      if (length > BigInt(Number.MAX_SAFE_INTEGER)) throw new Error("a value of the journal has no possible length");
      this.missing = Number(length);
      this.state = this.missing === 0 ? "end" : "data";
    }
    return from + 1;
  }

  private readData(chunk: Uint8Array, from: number): number {
    const to = Math.min(chunk.length, from + this.missing);
    this.addToValue(chunk, from, to);
    this.missing -= to - from;
    if (this.missing === 0) this.state = "end";
    return to;
  }

  private readEnd(chunk: Uint8Array, from: number): number {
    if (chunk[from] !== lineFeed) throw new Error("a value of the journal does not end with a line feed");
    this.finishField();
    return from + 1;
  }

  private addToValue(chunk: Uint8Array, from: number, to: number): void {
    if (this.value?.add(chunk, from, to, this.options.mostBytes) === false) this.isCut = true;
  }

  private finishField(): void {
    if (this.value !== undefined) this.entry.set(this.name, this.value.bytes);
    this.value = undefined;
    this.hasFields = true;
    this.state = "key";
  }

  private finishEntry(): void {
    if (!this.hasFields) return;
    this.options.take(this.entry, this.isCut);
    this.entry.clear();
    this.isCut = false;
    this.hasFields = false;
  }
}

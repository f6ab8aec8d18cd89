// A class with the few methods of Node's Buffer that the package mmdb-lib needs to read a database. The build replaces
// the `Buffer` of that package by this class (vite.config.ts).

const utf8 = new TextDecoder();

export class FileBytes extends Uint8Array<ArrayBuffer> {
  private shared: DataView | null = null;

  static isBuffer(value: unknown): boolean {
    return value instanceof FileBytes;
  }

  /** Returns the bytes that a string of hexadecimal digits stands for. */
  static override from(digits: ArrayLike<number> | Iterable<number> | string): FileBytes {
    const pairs = String(digits).match(/../g) ?? [];
    return new FileBytes(Uint8Array.from(pairs, (pair) => Number.parseInt(pair, 16)).buffer);
  }

  readUInt8(at: number): number {
    return this.view().getUint8(at);
  }

  readUInt16BE(at: number): number {
    return this.view().getUint16(at);
  }

  readUInt32BE(at: number): number {
    return this.view().getUint32(at);
  }

  readInt32BE(at: number): number {
    return this.view().getInt32(at);
  }

  readFloatBE(at: number): number {
    return this.view().getFloat32(at);
  }

  readDoubleBE(at: number): number {
    return this.view().getFloat64(at);
  }

  /** Returns the unsigned big-endian number that is stored in 1 to 6 bytes. */
  readUIntBE(at: number, length: number): number {
    let value = 0;
    for (let end = at + length; at < end; at++) value = value * 256 + this.readUInt8(at);
    return value;
  }

  override toString(_encoding?: string, from = 0, to = this.length): string {
    return utf8.decode(this.subarray(from, to));
  }

  private view(): DataView {
    this.shared ??= new DataView(this.buffer, this.byteOffset, this.byteLength);
    return this.shared;
  }
}

// A string that lies in a batch's memory, given by its address and length. The string is valid until the batch is
// released.

import type { Bytes } from "../../text/bytes.ts";
import { OwnedBytes } from "../../text/utf8.ts";
import type { Batch } from "./batch.ts";
import { valueTextAt } from "./known-names.ts";

export class TapeBytes implements Bytes {
  readonly isBytes = true;
  readonly batch: Batch;
  readonly address: number;
  readonly length: number;
  private readonly generation: number;
  private text: string | null = null;

  constructor(batch: Batch, address: number, length: number) {
    this.batch = batch;
    this.address = address;
    this.length = length;
    this.generation = batch.generation;
  }

  /**
   * Returns the bytes. Throws an Error when the batch has been released, because the memory may then contain other
   * data.
   */
  view(): Uint8Array {
    if (this.generation !== this.batch.generation) throw new Error("text of a batch that has been released");
    return this.batch.bytes(this.address, this.length);
  }

  toString(): string {
    if (this.text === null) {
      this.view();
      this.text = valueTextAt(this.batch, this.address, this.length);
    }
    return this.text;
  }

  slice(start: number, end: number): Bytes {
    return new TapeBytes(this.batch, this.address + start, end - start);
  }

  detach(): Bytes {
    return new OwnedBytes(this.view().slice());
  }
}

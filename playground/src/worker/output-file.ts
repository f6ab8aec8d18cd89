// Collects the points that a run writes to a file, as bytes in Blobs, which the browser stores outside of the
// JavaScript heap.

import type { Point } from "../../../lib/index.ts";
import type { Instance } from "./instance.ts";
import type { OutputForm } from "./protocol.ts";

export class OutputFile {
  private readonly mill: Instance;
  private readonly form: OutputForm;
  private readonly parts: BlobPart[] = [];
  private waiting: Point[] = [];
  private empty = true;

  constructor(mill: Instance, form: OutputForm) {
    this.mill = mill;
    this.form = form;
  }

  add(point: Point): void {
    this.waiting.push(point);
    if (this.waiting.length >= 2000) this.write();
  }

  blob(): Blob {
    this.write();
    if (this.form === "lp") return new Blob(this.parts, { type: "text/plain" });
    return new Blob(this.empty ? ["[]"] : ["[", ...this.parts, "]\n"], { type: "application/json" });
  }

  private write(): void {
    if (this.waiting.length === 0) return;
    const bytes = this.mill.encodePoints(this.waiting, this.form) as Uint8Array<ArrayBuffer>;
    this.waiting = [];
    if (bytes.length === 0) return;
    if (this.form === "lp") this.parts.push(new Blob([bytes, "\n"]));
    else this.parts.push(new Blob([this.empty ? "" : ",\n", bytes.subarray(1, -1)]));
    this.empty = false;
  }
}

// Frees the memory of batches that were garbage collected without `release`.
//
// Registering an object in a FinalizationRegistry takes a third of a microsecond, as long as decoding one line. So
// small batches are registered only as groups. Each batch that is not released refers to its group, so the group is
// collected after all its batches. New batches join one open group until this group is full or the garbage collector
// has run.

import { Batch, type BatchGroup, type PointBatch } from "../point/batch/batch.ts";
import type { WasmModule } from "../wasm/module.ts";

const warning =
  "a batch of points was garbage collected without release(). Its memory is free again only now, and a program that " +
  "decodes faster than garbage is collected runs out of memory. Write `using points = mill.decode(body)`, or call " +
  "points.release(). This warning is given once.";

/**
 * Largest number of batches in a group. As long as one batch of a group is in use, the memory of the other batches that
 * were garbage collected without `release` is not freed.
 */
const mostInGroup = 64;
/**
 * Length in bytes from which the body of a batch is large. A batch with a large body gets a group of its own.
 * Other batches are put together in a group until the total length of their bodies reaches this number, so the
 * total is always less than twice this number.
 */
const largeBody = 16_384;

/** Addresses of the batches in a group. A batch that was released has 0 in place of its address. */
type Addresses = Uint32Array;

/**
 * A marker for the callback of the FinalizationRegistry. An object that nothing refers to is registered with
 * this marker. So when the callback receives the marker, the garbage collector has run.
 */
const afterCollection: Addresses = new Uint32Array(0);

/**
 * Several batches that are registered together in the FinalizationRegistry, by registering this object. Each batch that
 * was not released refers to its group. So the garbage collector collects the group only when no such batch is in use.
 */
class Group implements BatchGroup {
  private readonly addresses: Addresses;
  private count = 0;
  private bytes = 0;

  constructor(addresses: Addresses) {
    this.addresses = addresses;
  }

  get isFull(): boolean {
    return this.count === this.addresses.length || this.bytes >= largeBody;
  }

  add(batch: Batch, bytes: number): void {
    this.addresses[this.count] = batch.base;
    batch.group = this;
    batch.placeInGroup = this.count++;
    this.bytes += bytes;
  }

  remove(place: number): void {
    this.addresses[place] = 0;
  }
}

/**
 * Returns a function that watches a batch until it is released; `bytes` is the length of the batch's body. When a
 * watched batch is garbage collected without `release`, its memory is freed. The first time that this happens, `warn`
 * is called. In hosts without FinalizationRegistry, such as some edge environments, batches are not watched.
 */
export function watchBatches(
  module: WasmModule,
  warn?: (message: string) => void,
): <B extends PointBatch>(batch: B, bytes: number) => B {
  if (typeof FinalizationRegistry === "undefined") return (batch) => batch;
  let hasWarned = warn === undefined;
  let open: Group | null = null;
  const registry = new FinalizationRegistry<Addresses>((addresses) => {
    if (addresses === afterCollection) {
      open = null;
      return;
    }
    const lost = addresses.filter((address) => address !== 0);
    for (const address of lost) module.exports.freeBatch(address);
    if (hasWarned || lost.length === 0) return;
    hasWarned = true;
    warn!(warning);
  });
  const newGroup = (most: number): Group => {
    const addresses = new Uint32Array(most);
    const group = new Group(addresses);
    registry.register(group, addresses);
    return group;
  };
  return (batch, bytes) => {
    if (!(batch instanceof Batch)) return batch;
    if (bytes >= largeBody) newGroup(1).add(batch, bytes);
    else {
      if (open === null || open.isFull) {
        open = newGroup(mostInGroup);
        // Nothing refers to the object `{}`, so the next run of the garbage collector collects it, and the
        // FinalizationRegistry then calls its callback. The callback closes the open group, so batches that are made
        // later begin a new group.
        registry.register({}, afterCollection);
      }
      open.add(batch, bytes);
    }
    return batch;
  };
}

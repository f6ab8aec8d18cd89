// Which points of a batch lack a key. The entries of a point lie one behind the other: reading them here costs less than
// moving a cursor to each point and having its keys indexed.

import { deadFlag, entry, entryWords, head, point, pointWords } from "../wasm/tape.ts";
import type { Batch } from "./batch.ts";
import type { Key } from "./view.ts";

/** Their places, ascending. */
export function placesWithout(batch: Batch, key: Key): number[] {
  const id = key.batch === batch ? key.id : batch.resolve(key);
  const { u32 } = batch.module;
  const points = batch.head(head.points) >>> 2;
  const entries = batch.head(head.entries) >>> 2;
  const isHere = (at: number) => u32[at + entry.key] === id && (u32[at + entry.kind]! & deadFlag) === 0;
  const places: number[] = [];
  /** Where the point before had it: most points of a body have the same keys in the same order. */
  let usual = 0;
  for (let place = 0, its = points; place < batch.length; place++, its += pointWords) {
    const first = entries + u32[its + point.first]! * entryWords;
    const end = first + u32[its + point.count]! * entryWords;
    if (first + usual < end && isHere(first + usual)) continue;
    let at = first;
    while (at < end && !isHere(at)) at += entryWords;
    if (at < end) {
      usual = at - first;
      continue;
    }
    let link = u32[its + point.more]!;
    while (link !== 0 && !isHere(entries + (link - 1) * entryWords)) {
      link = u32[entries + (link - 1) * entryWords + entry.link]!;
    }
    if (link === 0) places.push(place);
  }
  return places;
}

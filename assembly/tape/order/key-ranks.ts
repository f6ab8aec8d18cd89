// Ranks the keys of a batch: the rank of a key is its place among all keys, sorted by their bytes. With ranks,
// sorting the entries of a point compares numbers and not texts. Points that lack some keys of the previous
// point, or have them in another order, are then written 1.3 to 5 times as fast.
//
// Ranks are computed only after many entries were sorted by text, and computed again only after many entries
// with newer keys were sorted by text. So ranking always takes less time than the sorting by text that came
// before it.

import { givePages, pagesFor, takePages } from "../../memory/pages";
import { B_KEYS, B_KEY_COUNT, B_RANKED, B_UNRANKED, KEY_SHIFT, K_LENGTH, K_RANK, K_TEXT } from "../layout";
import { beginningOf } from "../../text/order";
import { RECORD_SHIFT, R_ID, sortRecords } from "./merge-sort";

/**
 * Upper limit for ranks (places in the sorted order of keys): the sort codes of entries (order.ts) have only 24
 * bits for a rank, so a rank must be below this number.
 */
export const MOST_RANKED: u32 = 1 << 24;

/**
 * Ranks all keys of the batch if this saves time. The caller is about to sort entries, and the key of at least one of
 * them has no rank. `worth` is the time that ranks would save in this sort, in units of the time that ranking
 * one key takes. Returns true when all keys have a rank afterwards.
 */
export function rankKeysFor(batch: usize, worth: u32): bool {
  const count = load<u32>(batch, B_KEY_COUNT);
  const unranked = load<u32>(batch, B_UNRANKED) + worth;
  store<u32>(batch, unranked, B_UNRANKED);
  if (count > MOST_RANKED || unranked < count) return false;
  store<u32>(batch, 0, B_UNRANKED);
  return rankKeys(batch, count);
}

/** Computes the ranks of all keys. Returns false when there is no memory for sorting the keys. */
function rankKeys(batch: usize, count: u32): bool {
  const size = <usize>count << RECORD_SHIFT;
  const pages = pagesFor(<u64>size << 1);
  const records = takePages(pages);
  if (!records) return false;
  const keys = <usize>load<u32>(batch, B_KEYS);
  for (let id: u32 = 0; id < count; id++) {
    const record = records + (<usize>id << RECORD_SHIFT);
    const key = keys + (<usize>id << KEY_SHIFT);
    store<u64>(record, beginningOf(load<u32>(key, K_TEXT), load<u32>(key, K_LENGTH)));
    store<u32>(record, id, R_ID);
  }
  let record = sortRecords(batch, records, records + size, count);
  for (let rank: u32 = 0; rank < count; rank++, record += 1 << RECORD_SHIFT) {
    store<u32>(keys + (<usize>load<u32>(record, R_ID) << KEY_SHIFT), rank, K_RANK);
  }
  givePages(records, pages);
  store<u32>(batch, count, B_RANKED);
  return true;
}

// Converts the captures (matched texts) of grok expressions. One call takes many matches. For each match and
// field it returns the range of the trimmed text and, for a field with a type, the value. layout.ts describes the plan.

import {
  FIELD_GROUPS, FIELD_NUMBERS, FIELD_SIZE, FIELD_TYPE, P_COUNT, P_FIELDS, P_GROUPS, P_MATCHED, P_SLOTS, P_SPANS,
  P_VALUES, TYPE_BOOL, TYPE_FLOAT, TYPE_INT,
} from "./layout";
import { boolOf, floatOf, integerOf } from "./numbers";
import { dropSpace, skipSpace } from "./space";

/**
 * Converts the captures of `count` texts, and writes the results to the addresses in `plan` (the description of
 * the fields). `slots` has, for every text, the start and end of each group of the regular expression, as byte
 * offsets from the address `base`. For a text that the expression did not match, the first of these offsets is
 * -1. `trim` says whether white space around captures is removed. `origin` is the offset of `base` in the
 * caller's text. It is added to the offsets in the results, so that they count from the start of the caller's
 * text.
 */
export function convertCaptures(plan: usize, base: usize, slots: usize, count: u32, trim: bool, origin: i32): void {
  const fields = load<u32>(plan, P_COUNT);
  const stride = <usize>load<u32>(plan, P_SLOTS) << 2;
  let spans = <usize>load<u32>(plan, P_SPANS);
  let values = <usize>load<u32>(plan, P_VALUES);
  let groups = <usize>load<u32>(plan, P_GROUPS);
  const matched = <usize>load<u32>(plan, P_MATCHED);
  const stop = plan + P_FIELDS + <usize>fields * FIELD_SIZE;
  for (let match: u32 = 0; match < count; match++, slots += stride) {
    const found = load<i32>(slots) >= 0;
    store<u8>(matched + <usize>match, <u8>found);
    for (let field = plan + P_FIELDS; field < stop; field += FIELD_SIZE, spans += 8, values += 8, groups += 4) {
      let start: i32 = -1;
      let end: i32 = -1;
      let value: u64 = 0;
      if (found) {
        const first = <usize>load<u32>(field, FIELD_NUMBERS);
        let number = first + (<usize>load<u32>(field, FIELD_GROUPS) << 2) - 4;
        const last = load<u32>(number);
        let group = last;
        // When several groups have the same name, the value is the text of the last group that took part in the match.
        // When none of them took part, the result has the number of the last group and no value.
        while ((start = load<i32>(slots + (<usize>group << 3))) < 0 && number > first) {
          number -= 4;
          group = load<u32>(number);
        }
        if (start < 0) group = last;
        store<u32>(groups, group);
        if (start >= 0) {
          let from = base + <usize>start;
          let to = base + <usize>load<i32>(slots + (<usize>group << 3), 4);
          // Nearly all captures begin and end with a visible ASCII character and need no trimming. So the functions
          // that trim are called only for other captures.
          if (trim && from < to) {
            if (<u32>load<u8>(from) - 0x21 > 0x5d) from = skipSpace(from, to);
            if (from < to && <u32>load<u8>(to - 1) - 0x21 > 0x5d) to = dropSpace(from, to);
          }
          const type = load<u32>(field, FIELD_TYPE);
          if (type == TYPE_INT) value = <u64>integerOf(from, to);
          else if (type == TYPE_FLOAT) value = floatOf(from, to);
          else if (type == TYPE_BOOL) value = <u64>boolOf(from, to);
          start = <i32>(from - base) + origin;
          end = <i32>(to - base) + origin;
        }
      }
      store<i32>(spans, start);
      store<i32>(spans, end, 4);
      store<u64>(values, value);
    }
  }
}

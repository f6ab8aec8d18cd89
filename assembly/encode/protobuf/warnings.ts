// Encodes the warnings of a point as protobuf (docs/reference/points.md#protobuf).

import { WARNING_SIZE, W_MESSAGE, W_MESSAGE_LENGTH, W_TYPE, W_TYPE_LENGTH } from "../../tape/layout";
import { put, room } from "../output";
import { optionalSize, putOptional, textSize } from "./fields";
import { putVarint } from "./varint";

/** Returns the number of bytes that a list of warnings takes in the PBPoint message. */
export function warningsSize(list: usize): u32 {
  const total = load<u32>(list);
  let size: u32 = 0;
  for (let i: u32 = 0; i < total; i++) size += textSize(warningSize(list + 4 + <usize>i * WARNING_SIZE));
  return size;
}

export function putWarnings(list: usize): void {
  const total = load<u32>(list);
  for (let i: u32 = 0; i < total; i++) {
    const warning = list + 4 + <usize>i * WARNING_SIZE;
    room();
    put(0x22);
    putVarint(warningSize(warning));
    putOptional(0x0a, load<u32>(warning, W_TYPE), load<u32>(warning, W_TYPE_LENGTH));
    putOptional(0x12, load<u32>(warning, W_MESSAGE), load<u32>(warning, W_MESSAGE_LENGTH));
  }
}

function warningSize(warning: usize): u32 {
  return optionalSize(load<u32>(warning, W_TYPE_LENGTH)) + optionalSize(load<u32>(warning, W_MESSAGE_LENGTH));
}

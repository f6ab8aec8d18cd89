// Decodes protobuf (docs/reference/points.md#protobuf). The WebAssembly module scans a PBPoints message once and
// makes a batch of corrected points. This file contains the error messages; encode.ts encodes protobuf.

import { quoteBytes } from "../../text/quote.ts";
import { failure, head, kindLetters } from "../../wasm/tape.ts";
import type { Batch } from "../batch/batch.ts";
import { PointError } from "../errors.ts";
import { timeOutsideRange } from "../precision.ts";
import type { BodyForm } from "./body.ts";

export const protobuf: BodyForm = {
  scan: ({ exports }, base, most) => exports.scanProtobuf(base, most) !== 0,
  finish: ({ batch, before }) => {
    batch.hasTraits = true;
    if (batch.head(head.failureCount) > 0) throw new PointError(reasonText(batch, before), "protobuf");
    return true;
  },
};

/**
 * Names of the protobuf messages and of their fields, for error messages. The index of a message is its number
 * in assembly/protobuf/reasons.ts.
 */
const messages: readonly (readonly [name: string, fields: Readonly<Record<number, string>>])[] = [
  ["PBPoints", { 1: "Arr" }],
  ["PBPoint", { 1: "Name", 2: "Fields", 3: "Time", 4: "Warns", 5: "Debugs" }],
  [
    "Field",
    {
      ...{ 1: "Key", 2: "I", 3: "U", 4: "F", 5: "B", 6: "D", 7: "A" },
      ...{ 8: "IsTag", 9: "Type", 10: "Unit", 11: "S", 12: "Description" },
    },
  ],
  ["Any", { 1: "TypeUrl", 2: "Value" }],
  ["Array", { 1: "Arr" }],
  ["BasicTypes", { 1: "I", 2: "U", 3: "F", 4: "B", 5: "D", 6: "S" }],
];

/**
 * Returns the message for the error that ended the decoding of the body. `before` is the number of points in earlier
 * windows (parts) of the body; assembly/protobuf/reasons.ts defines the codes of the reasons.
 */
function reasonText(batch: Batch, before: number): string {
  const { u32 } = batch.module;
  const record = batch.head(head.failures) >>> 2;
  const first = u32[record + failure.first]!;
  const second = u32[record + failure.second]!;
  const [message, fields] = messages[first & 0xff] ?? ["", {}];
  const wireType = first >>> 8;
  const here = `point ${before + u32[record + failure.position]!}`;
  const field = `${here}: fields[${u32[record + failure.line]}]`;
  switch (u32[record + failure.reason]) {
    case 1:
      return "unexpected EOF";
    case 2:
      return `proto: ${message}: illegal tag ${second | 0} (wire type ${wireType})`;
    case 3:
      return `proto: wrong wireType = ${wireType} for field ${fields[second]}`;
    case 4:
      return `proto: illegal wireType ${wireType}`;
    case 5:
      return `proto: ${message}: wiretype end group for non-group`;
    case 6:
      return "proto: integer overflow";
    case 7:
      return "proto: negative length found during unmarshaling";
    case 8:
      return `${here}: ${timeOutsideRange}`;
    case 9:
      return `${field}: tag value must be a string`;
    case 10:
      return `${field}: unknown type ${quoteBytes(batch.bytes(first, second))}`;
    case 11:
      return `${field}: mixed type elements found in array([0]: ${kindLetters[first & 0xff]} <> [${second}]: ${kindLetters[wireType]})`;
    case 12:
      return `${field}: got nil(index: ${first}) within array`;
    default:
      throw new Error(`unknown reason ${u32[record + failure.reason]}`);
  }
}

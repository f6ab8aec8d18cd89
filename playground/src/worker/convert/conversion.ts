// The job that the page gives the worker for a conversion, and the worker's answer. All types in this file can be
// posted between threads.

import type { CategoryName, Warning } from "../../../../lib/index.ts";

/** A wire form of points: line protocol, simple JSON, PBJSON or protobuf. */
export type WireForm = "lp" | "json" | "pbjson" | "pb";

export const wireForms: readonly WireForm[] = ["lp", "json", "pbjson", "pb"];

export interface ConversionJob {
  /** The body as text; a body of protobuf is text in hex or base64. */
  readonly text: string;
  /** The wire form of the body; null to let the worker detect it. */
  readonly form: WireForm | null;
  readonly category: CategoryName;
  /** Unit of the times in the body; empty means that the decoder derives the unit from the size of each number. */
  readonly precision: string;
  /** The time, in nanoseconds since 1970, for points without a time; null for the current time. */
  readonly now: bigint | null;
}

/** An error in the body: its position, and the reason. */
export interface Fault {
  /** Offset, from 0, of the first wrong byte in the body. */
  readonly byte: number;
  /** Line and column in the text, from 1; the column counts characters. */
  readonly line: number;
  readonly column: number;
  /** The range of the text that the editor underlines, in UTF-16 units. */
  readonly from: number;
  readonly to: number;
  readonly reason: string;
}

/** A correction that was made to a point, because the rules of its category (such as metrics or logs) required it. */
export interface Correction extends Warning {
  /** Number of the corrected point in the body, from 1. */
  readonly point: number;
  readonly measurement: string;
}

/** A field of a protobuf message and the offsets of its bytes in the body. */
export interface ProtobufField {
  readonly name: string;
  readonly type: string;
  /**
   * The value as the page shows it; empty for a nested message, because its fields are the next elements of the list.
   */
  readonly value: string;
  readonly depth: number;
  /** Offset in the body of the first byte of the field: its protobuf tag (number and wire type of the field). */
  readonly from: number;
  /** Offset in the body of the field's value, after the protobuf tag and the length. */
  readonly valueFrom: number;
  /** Offset in the body of the first byte after the field. */
  readonly to: number;
}

export interface Written {
  readonly form: WireForm;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Size of the written points after compression with gzip, in bytes. */
  readonly packed: number;
  /** Number of points that are missing from the result, because the wire form cannot express them. */
  readonly leftOut: number;
}

export interface Converted {
  readonly kind: "converted";
  readonly form: WireForm;
  readonly points: number;
  /** Size of the body in bytes, plain and after gzip. */
  readonly size: number;
  readonly packed: number;
  /** The points of the body in each wire form (such as JSON), in the order of `wireForms`. */
  readonly written: readonly Written[];
  /** The fields of the points as protobuf; for a very large body, only the first ones. */
  readonly fields: readonly ProtobufField[];
  /** The corrections; only the first ones when there are very many. */
  readonly corrections: readonly Correction[];
  /** Number of all corrections, including the corrections that `corrections` leaves out. */
  readonly corrected: number;
}

export interface Refused {
  readonly kind: "refused";
  readonly form: WireForm;
  /** The errors; only the first ones when there are very many. */
  readonly faults: readonly Fault[];
  /** Number of all errors, including the errors that `faults` leaves out. */
  readonly failed: number;
}

export type Conversion = Converted | Refused;

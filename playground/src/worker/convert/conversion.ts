// What the page asks of a conversion and what the worker answers. All types in this file can be posted between threads.

import type { CategoryName, Warning } from "../../../../lib/index.ts";

/** A wire form of points: line protocol, simple JSON, PBJSON or protobuf. */
export type WireForm = "lp" | "json" | "pbjson" | "pb";

export const wireForms: readonly WireForm[] = ["lp", "json", "pbjson", "pb"];

export interface ConversionJob {
  /** The body as text; a body of protobuf is text in hex or base64. */
  readonly text: string;
  /** The form of the body; null when the worker detects it. */
  readonly form: WireForm | null;
  readonly category: CategoryName;
  /** Unit of the times in the body; empty when the size of each number decides it. */
  readonly precision: string;
  /** Time of points that have none, in nanoseconds since 1970; null for the real time. */
  readonly now: bigint | null;
}

/** A place in the body that is wrong, and why. */
export interface Fault {
  /** Offset in the body of the first byte that is wrong, from 0. */
  readonly byte: number;
  /** Line and column in the text, from 1; the column counts characters. */
  readonly line: number;
  readonly column: number;
  /** The range of the text to mark, in UTF-16 units. */
  readonly from: number;
  readonly to: number;
  readonly reason: string;
}

/** A correction that the rules of the category made to a point. */
export interface Correction extends Warning {
  /** Number of the point, from 1. */
  readonly point: number;
  readonly measurement: string;
}

/** A field of a protobuf message, and where its bytes are. */
export interface ProtobufField {
  readonly name: string;
  readonly type: string;
  /** The value for people; empty for a message, whose fields follow. */
  readonly value: string;
  readonly depth: number;
  /** Offset of the field's tag. */
  readonly from: number;
  /** Offset of the value, behind the tag and the length. */
  readonly valueFrom: number;
  /** Offset behind the field. */
  readonly to: number;
}

export interface Written {
  readonly form: WireForm;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Size in bytes after gzip. */
  readonly packed: number;
  /** Number of points that the form cannot express. */
  readonly leftOut: number;
}

export interface Converted {
  readonly kind: "converted";
  readonly form: WireForm;
  readonly points: number;
  /** Size of the body in bytes, plain and after gzip. */
  readonly size: number;
  readonly packed: number;
  /** The points in every form, in the order of `wireForms`. */
  readonly written: readonly Written[];
  /** The first fields of the protobuf body. */
  readonly fields: readonly ProtobufField[];
  /** The first corrections. */
  readonly corrections: readonly Correction[];
  /** Number of all corrections. */
  readonly corrected: number;
}

export interface Refused {
  readonly kind: "refused";
  readonly form: WireForm;
  /** The first places that are wrong. */
  readonly faults: readonly Fault[];
  /** Number of all places that are wrong. */
  readonly failed: number;
}

export type Conversion = Converted | Refused;

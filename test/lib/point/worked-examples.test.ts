// Tests the worked examples of docs/reference/points.md. Each example is a body with the points or the error
// message that decoding it must produce. The test decodes each body in every way: at once, in windows (parts) of
// one tag or field, by the slower exact parser of line protocol (assembly/line-protocol/exact.ts), by the reader
// in JavaScript, and by the baseline decoder of the tests.

import { describe, expect, it } from "vitest";
import type { CategoryName } from "../../../lib/point/category.ts";
import { type BodyOptions, decodeBody } from "../../../lib/point/codec/body.ts";
import { decodeInWindows, decodePoints } from "../../../lib/point/codec/decode.ts";
import { encodePoints, type Form } from "../../../lib/point/codec/encode.ts";
import { lineProtocol } from "../../../lib/point/codec/line-protocol.ts";
import { PointError } from "../../../lib/point/errors.ts";
import { defaultLimits, type Limits } from "../../../lib/point/limits.ts";
import { Point } from "../../../lib/point/point.ts";
import type { PointView } from "../../../lib/point/view.ts";
import { decodeJson } from "../../baseline/json.ts";
import { decodeLineProtocolInJs } from "../../baseline/line-protocol.ts";
import { parseExact } from "../../conformance/exact-json.ts";
import { canonical } from "../../properties/canonical.ts";
import { loadModule } from "../wasm/load.ts";
import table from "./worked-examples.jsonl?raw";

/**
 * One example. It has exactly one expected result: the points in one of the wire formats, or, when the body is refused,
 * the whole error message or the reason for the first line that fails.
 */
interface Example {
  readonly id: string;
  readonly form: Exclude<Form, "pb">;
  readonly body: string;
  /** Category of the points. When it is absent, the test uses a category without special rules. */
  readonly category?: CategoryName;
  readonly precision?: string;
  readonly limits?: Partial<Limits>;
  readonly lp?: string;
  readonly json?: unknown;
  readonly pbjson?: unknown;
  /** The body or result in protobuf, as hexadecimal bytes. */
  readonly pb?: string;
  readonly message?: string;
  readonly reason?: string;
  /**
   * Warning messages of the first point. Used when the expected result is in a wire format that does not include
   * warnings.
   */
  readonly warns?: readonly string[];
  /**
   * The reason why one line of the body is refused when the body is decoded with the option `strict`. Absent when the
   * example is not decoded with this option.
   */
  readonly strict?: string;
}

const examples = table
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Example);
const module = await loadModule();
const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

type Read = (body: Uint8Array, form: Form, options: BodyOptions) => Point[];

function taken(points: Iterable<PointView>): Point[] {
  return Array.from(points, (point) => Point.copyOf(point));
}

const ways: readonly (readonly [string, Read, forms: string])[] = [
  [
    "at once",
    (body, form, options) => {
      const batch = decodePoints(module, body, form, options);
      try {
        return taken(batch);
      } finally {
        batch.release();
      }
    },
    "lp json pbjson",
  ],
  [
    "in windows",
    (body, form, options) => Array.from(decodeInWindows(module, body, form, options, 1), taken).flat(),
    "lp json pbjson",
  ],
  [
    "by the exact parser",
    (body, _, options) => {
      const batch = decodeBody(module, body, lineProtocol(false), options);
      try {
        return taken(batch);
      } finally {
        batch.release();
      }
    },
    "lp",
  ],
  ["by the decoder of the tests", (body, _, options) => decodeLineProtocolInJs(body, options), "lp"],
  ["by the reader in JavaScript", (body, _, options) => decodeJson(body, options), "json pbjson"],
];

function refusal(read: () => unknown): PointError {
  try {
    read();
  } catch (error) {
    if (error instanceof PointError) return error;
    throw error;
  }
  throw new Error("the body was accepted");
}

function check(example: Example, read: Read): void {
  const options: BodyOptions = {
    category: example.category ?? "tracing",
    precision: example.precision ?? "",
    now: 1700000000000000000n,
    limits: { ...defaultLimits, ...example.limits },
  };
  const body = new TextEncoder().encode(example.body);
  const points = (): Point[] => read(body, example.form, options);
  const as = (form: Form): string => text.decode(encodePoints(module, points(), form));
  // Integers beyond 2^53 lose digits as JavaScript numbers, so this parser makes bigints of them.
  const listed = (value: unknown): unknown => parseExact(JSON.stringify(value));
  const { lp, json, pbjson, pb, message, reason, warns, strict } = example;
  const said = [lp, json, pbjson, pb, message, reason].filter((each) => each !== undefined);
  expect(said).toHaveLength(1);
  if (lp !== undefined) expect(as("lp")).toBe(lp);
  if (json !== undefined) expect(parseExact(as("json"))).toEqual(listed(json));
  if (pbjson !== undefined) expect(parseExact(as("pbjson"))).toEqual(listed(pbjson));
  if (pb !== undefined) {
    const bytes = encodePoints(module, points(), "pb");
    expect(Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")).toBe(pb);
    const back = decodePoints(module, bytes, "pb", options);
    expect(canonical(back.point(0))).toEqual(canonical(points()[0]!));
    back.release();
  }
  if (message !== undefined) expect(refusal(points).message).toBe(message);
  if (reason !== undefined) expect(refusal(points).lines[0]!.reason).toBe(reason);
  if (warns !== undefined) expect(points()[0]!.warnings.map((warning) => warning.message)).toEqual(warns);
  if (strict !== undefined) {
    const strictly = refusal(() => read(body, example.form, { ...options, strict: true }));
    expect(strictly.lines.map((line) => line.reason)).toEqual([strict]);
  }
}

describe.each(ways)("worked examples, %s", (_, read, forms) => {
  it.each(examples.filter(({ form }) => forms.split(" ").includes(form)))("$id", (example) => check(example, read));
});

it("the table has every example once", () => {
  const numbered = (letter: string, count: number) => Array.from({ length: count }, (_, i) => `${letter}${i + 1}`);
  expect(examples.map(({ id }) => id)).toEqual([...numbered("E", 403), ...numbered("P", 9)]);
});

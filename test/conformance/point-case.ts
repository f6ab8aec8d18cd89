// Runs a points case: decodes a body, and compares the result with the expected one. The result is an error
// message, or the points as JSON and as line protocol.

import { type Millrace, PointError } from "../../lib/index.ts";
import { type ExactJson, equalExact, parseExact, showExact } from "./exact-json.ts";

const receiveTime = 1700000000000000000n;

export function runPointCase(
  mill: Millrace,
  request: { [key: string]: ExactJson },
  expect: { [key: string]: ExactJson },
): string[] {
  const form = request.enc as "lp" | "json" | "pbjson";
  const body = new TextEncoder().encode(request.body as string);
  const now = (request.time as bigint | undefined) ?? receiveTime;
  let points: ReturnType<Millrace["decodePoints"]>;
  try {
    points = mill.decodePoints(body, {
      category: request.category as never,
      form,
      precision: request.precision as string,
      now,
    });
  } catch (error) {
    if (!(error instanceof PointError)) throw error;
    if (expect.error === undefined) return [`expected points, got the error ${error.message}`];
    if (expect.error === "*" || expect.error === error.message) return [];
    return [`expected ${showExact(expect.error)}`, `got      ${showExact(error.message)}`];
  }
  try {
    const text = (as: "json" | "pbjson" | "lp") =>
      new TextDecoder("utf-8", { ignoreBOM: true }).decode(mill.encodePoints(points, as));
    const shape = parseExact(text(form === "pbjson" ? "pbjson" : "json"));
    if (expect.error !== undefined)
      return [`expected the error ${showExact(expect.error)}`, `got      ${showExact(shape)}`];
    const differences: string[] = [];
    if (!equalExact(shape, expect.points))
      differences.push(`expected ${showExact(expect.points)}`, `got      ${showExact(shape)}`);
    if (expect.lp_out !== undefined) {
      const lines = (expect.lp_out as string[]).join("\n");
      const got = text("lp");
      if (got !== lines) differences.push(`expected ${lines}`, `got      ${got}`);
    }
    return differences;
  } finally {
    points.release();
  }
}

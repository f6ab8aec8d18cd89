// Decoding and encoding PBJSON, beyond the worked examples of docs/reference/points.md.

import { describe, expect, it } from "vitest";
import type { CategoryName } from "../../../../lib/point/category.ts";
import { PointError } from "../../../../lib/point/errors.ts";
import { defaultLimits, type Limits } from "../../../../lib/point/limits.ts";
import { decodeJson } from "../../../baseline/json.ts";
import { loadModule } from "../../wasm/load.ts";
import { encodersOf } from "../encoders.ts";

const now = 1700000000000000000n;
const { encodePbjson } = encodersOf(await loadModule());

function decode(body: string, category: CategoryName = "tracing", limits: Partial<Limits> = {}) {
  return decodeJson(body, { category, now, limits: { ...defaultLimits, ...limits } });
}

function refusal(body: string): string {
  try {
    decode(body);
  } catch (error) {
    if (error instanceof PointError) return error.message;
    throw error;
  }
  throw new Error("the body was accepted");
}

describe("PBJSON", () => {
  it.each([
    ["zero time", '[{"name":"m","fields":[],"time":"0"}]', "m", now],
    ["negative time", '[{"name":"m","fields":[],"time":"-5"}]', "m", now],
    ["no fields", '[{"name":"m"}]', "m", now],
    ["unknown member of the point", '[{"name":"m","x":1}]', "m", now],
  ])("%s", (_, body, name, time) => {
    const [point] = decode(body);
    expect([point!.name, point!.time]).toEqual([name, time]);
  });

  it.each([
    ['[{"name":"m","measurement":"m","fields":[]}]', "point 0: measurement beside a list of fields"],
    ['[{"name":"m","fields":[{"key":"a","i":"1"},null]}]', "point 0: fields[1] is null"],
    ['[{"name":"m","fields":[1]}]', "point 0: fields[0]: must be an object, got a number"],
    ['[{"name":1,"fields":[]}]', "point 0: name must be a string, got a number"],
    ['[{"name":"m","fields":[{"key":"t","is_tag":true}]}]', "point 0: fields[0]: tag value must be a string"],
    [
      '[{"name":"m","fields":[{"key":"t","u":"18446744073709551616"}]}]',
      "point 0: fields[0]: u: 18446744073709551616 is out of range",
    ],
  ])("refuses %s", (body, message) => {
    expect(refusal(body)).toBe(message);
  });

  it("refuses an array element without value", () => {
    const array = '{"@type":"type.googleapis.com/point.Array","arr":[{"i":"1"},{}]}';
    expect(refusal(`[{"name":"m","fields":[{"key":"a","a":${array}}]}]`)).toBe(
      "point 0: fields[0]: got nil(index: 1) within array",
    );
  });

  it("keeps all 64 bits of integers when it is decoded and encoded", () => {
    const body =
      '[{"name":"m","fields":[{"key":"a","i":"-9223372036854775808"},{"key":"b","i":"9007199254740993"},{"key":"c","u":"18446744073709551615"}],"time":"1700000000000000000"}]';
    expect(encodePbjson(decode(body))).toBe(body);
  });

  it("keeps metric type, unit and description when the key is corrected", () => {
    const entry = '"i":"1","type":"HISTOGRAM_BUCKET_BOUNDS","unit":"B","description":"d"';
    const body = (key: string) => `[{"name":"m","fields":[{"key":"${key}",${entry}}],"time":"1700000000000000000"}]`;
    expect(encodePbjson(decode(body("a.b")))).toContain(`{"key":"a_b",${entry}}`);
    expect(encodePbjson(decode(body("a.b"), "metric"))).toBe(body("a.b"));
  });
});

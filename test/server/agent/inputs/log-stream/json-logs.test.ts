// Logs sent as JSON objects: how the members of an object become fields of a point.

import { describe, expect, it } from "vitest";
import { ConversionError } from "../../../../../server/agent/ingest/converter.ts";
import { jsonLogs } from "../../../../../server/agent/inputs/log-stream/json-logs.ts";
import { decodeJson } from "../../../../baseline/json.ts";

const now = 1700000000000000000n;

/** Makes points of a body of JSON logs with `jsonLogs`, and decodes these points. */
function logs(body: string | Uint8Array): { fields: Record<string, unknown>; time: bigint; name: string }[] {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const text = new TextDecoder().decode(jsonLogs(bytes, "app"));
  return decodeJson(text, { category: "logging", now, precision: "n" }).map((point) => ({
    name: point.name,
    time: point.time,
    fields: Object.fromEntries(Array.from(point.entries(), ({ key, value }) => [key, value])),
  }));
}

const fieldsOf = (body: string) => logs(body)[0]!.fields;

describe("JSON logs", () => {
  it.each([
    ["lines", '{"message":"a"}\n{"message":"b"}\n'],
    ["lines of a machine that ends them otherwise", '{"message":"a"}\r\n\r\n{"message":"b"}'],
    ["a list", ' [ {"message":"a"} ,\n{"message":"b"} ]\n'],
    ["objects over several lines", '{\n  "message": "a"\n}\n{\n  "message": "b"\n}'],
  ])("may be sent as %s", (_, body) => {
    expect(logs(body).map(({ name, fields }) => [name, fields.message])).toEqual([
      ["app", "a"],
      ["app", "b"],
    ]);
  });

  it("keep the digits of numbers and the JSON text of nested values", () => {
    const body =
      '{"message":"x","i":9007199254740993,"u":18446744073709551615,"f":1.50,"big":123456789012345678901234567890,"huge":1e999,"b":true,"none":null,"o":{"n":9007199254740993,"a":[1,"}"]},"l":[1,{"x":"\\"{"}]}';
    const { i, u, f, b, o, l, big, huge, ...others } = fieldsOf(body);
    expect([i, String((u as { value: bigint }).value), (f as { value: number }).value, b]).toEqual([
      9007199254740993n,
      "18446744073709551615",
      1.5,
      true,
    ]);
    expect((big as { value: number }).value).toBe(1.2345678901234568e29);
    expect([huge, o, l]).toEqual(["1e999", '{"n":9007199254740993,"a":[1,"}"]}', '[1,{"x":"\\"{"}]']);
    expect(others).toEqual({ message: "x", status: "unknown" });
  });

  it("use their own JSON text as message when they have no message", () => {
    const raw = '{ "msg" : "}\\"{", "n":1.0 }';
    expect(logs(`[${raw}, {"message":null}]`).map(({ fields }) => fields.message)).toEqual([raw, '{"message":null}']);
  });

  it.each([
    ['{"time":1700000000.123456789}', 1700000000123456789n],
    ['{"time":1700000000123}', 1700000000123000000n],
    ['{"timestamp":"1700000000"}', 1700000000000000000n],
    ['{"timestamp":"2023-11-14T22:13:20.123456789Z"}', 1700000000123456789n],
    ['{"@timestamp":"2023-11-15T00:13:20,5+02:00"}', 1700000000500000000n],
    ['{"@timestamp":"2023-11-15 00:13:20+0200"}', 1700000000000000000n],
    ['{"time":"yesterday","@timestamp":1700000001}', 1700000001000000000n],
    ['{"time":-1,"timestamp":1700000001}', 1700000001000000000n],
  ])("take their time from %s", (body, time) => {
    const [log] = logs(body);
    expect(log!.time).toBe(time);
    expect(Object.keys(log!.fields)).not.toContain(Object.keys(JSON.parse(body)).at(-1));
  });

  it("keep an invalid time as a field, and get the current time", () => {
    expect(logs('{"time":"yesterday","timestamp":{}}')).toMatchObject([
      { time: now, fields: { time: "yesterday", timestamp: "{}" } },
    ]);
  });

  it.each([
    ['{"level":"warn"}', "warning"],
    ['{"level":"ERROR"}', "error"],
    ['{"severity":"INFO"}', "info"],
    ['{"level":30}', "info"],
    ['{"level":60}', "critical"],
    ['{"level":3}', "error"],
    ['{"severity":7}', "debug"],
    ['{"severity":17}', "unknown"],
    ['{"level":"warn","status":"mine"}', "mine"],
    ['{"level":{},"severity":"debug"}', "debug"],
    ["{}", "unknown"],
  ])("take their status from %s", (body, status) => {
    expect(fieldsOf(body).status).toBe(status);
  });

  it.each([
    ["text", "unit 0 of the text: an object is expected"],
    ['{"a":1}\ntext', "unit 8 of the text: an object is expected"],
    ['{"a":1},{"a":2}', "unit 7 of the text: an object is expected"],
    ["[1]", "unit 1 of the text: an object is expected"],
    ['[{"a":1}', "the list: unexpected end of JSON input at byte 8"],
    ['{"a":1}\n{"a":', "log 1: unexpected end of JSON input at byte 5"],
    ['{"a":x}', 'log 0: invalid character "x" looking for beginning of value at byte 5'],
    [`{"a":${"[".repeat(1001)}`, "the logs are nested deeper than 1000"],
  ])("are refused as a whole: %s", (body, reason) => {
    expect(() => logs(body)).toThrow(new ConversionError(reason));
  });

  it("yield no points for an empty body or an empty list", () => {
    expect([logs("\n"), logs("[]")]).toEqual([[], []]);
  });
});

// How the members of a JSON object become tags and fields of a point.

import { describe, expect, it } from "vitest";
import { type JsonObject, readJson } from "../../../../../lib/text/index.ts";
import { addObject, type ObjectForm } from "../../../../../server/agent/inputs/pbjson/json-log.ts";
import { PointText } from "../../../../../server/agent/inputs/pbjson/point-text.ts";

const form: ObjectForm = {
  isLog: true,
  timeMembers: ["@timestamp", "time"],
  tags: new Map([["host.name", "host"]]),
  tagObjects: ["labels"],
  origin: "own",
};

interface Entry {
  readonly key: string;
  readonly is_tag?: true;
}

/** Returns the point's time, and its tags and fields as `key=value`; `#` marks tags. */
function read(raw: string, isLog = true) {
  const point = new PointText("m", true, ["source"]);
  const { time = 0n, badTime } = addObject(point, readJson(raw) as JsonObject, raw, { ...form, isLog });
  const { fields, time: at } = JSON.parse(point.end(time)) as { fields: Entry[]; time: string };
  const entries = fields.map(({ key, is_tag, ...value }) => `${is_tag ? "#" : ""}${key}=${JSON.stringify(value)}`);
  return { entries, time: at, badTime };
}

describe("an object", () => {
  it.each([
    ["its message", '{"message":"a","log":"b"}', ['message={"s":"a"}', 'log={"s":"b"}']],
    ["a log as message", '{"log":"b","msg":"c"}', ['message={"s":"b"}', 'msg={"s":"c"}']],
    ["an object as message", '{"message":{"a":1.0}}', ['message={"s":"{\\"a\\":1}"}']],
    ["itself as message", '{"a":1}', ['message={"s":"{\\"a\\":1}"}', 'a={"i":"1"}']],
    [
      "tags of its own",
      '{"message":"","host":{"name":"h"},"labels":{"x":1}}',
      ['message={"s":""}', '#host={"s":"h"}', '#x={"s":"1"}'],
    ],
    [
      "the status of its level",
      '{"message":"","level":"WARN"}',
      ['message={"s":""}', 'status={"s":"warning"}', 'level={"s":"WARN"}'],
    ],
    [
      "the status of an inner level",
      '{"message":"","log":{"level":"WARN"}}',
      ['message={"s":""}', 'status={"s":"warning"}', 'log.level={"s":"WARN"}'],
    ],
    [
      "the status of a level with a dot",
      '{"message":"","log.level":"WARN"}',
      ['message={"s":""}', 'status={"s":"warning"}', 'log.level={"s":"WARN"}'],
    ],
    [
      "its own status",
      '{"message":"","status":200,"level":"WARN"}',
      ['message={"s":""}', 'status={"i":"200"}', 'level={"s":"WARN"}'],
    ],
    [
      "a prefix for a key that is refused",
      '{"message":"","source":"s","a.b":1,"a":{"b":2}}',
      ['message={"s":""}', 'own.source={"s":"s"}', 'a.b={"i":"1"}', 'own.a.b={"i":"2"}'],
    ],
    ["no empty key and no null", '{"message":"","":1,"n":null,"o":{}}', ['message={"s":""}']],
  ])("gets %s", (_, raw, expected) => {
    expect(read(raw).entries).toEqual(expected);
  });

  it.each([
    ['{"@timestamp":"2023-11-14T22:13:20.5Z"}', "1700000000500000000", undefined],
    ['{"time":1700000000}', "1700000000000000000", undefined],
    ['{"@timestamp":null,"time":1700000000123}', "1700000000123000000", undefined],
    ['{"@timestamp":"soon","time":1}', "0", "@timestamp"],
    ["{}", "0", undefined],
  ])("%s has the time %s", (raw, time, badTime) => {
    expect(read(raw)).toMatchObject({ time, badTime });
  });

  it("outside of logging gets no message and no status", () => {
    expect(read('{"level":"WARN","v":0.5}', false).entries).toEqual(['level={"s":"WARN"}', 'v={"f":0.5}']);
  });

  it("with deep nesting or long keys keeps its inner objects as text", () => {
    const deep = `${'{"a":'.repeat(12)}1${"}".repeat(12)}`;
    expect(read(deep).entries.at(-1)).toBe(`${Array(9).fill("a").join(".")}={"s":"{\\"a\\":{\\"a\\":{\\"a\\":1}}}"}`);
    const key = "k".repeat(150);
    expect(read(`{"message":"","${key}":{"${key}":{"x":1}}}`).entries[1]).toBe(`${key}.${key}={"s":"{\\"x\\":1}"}`);
  });
});

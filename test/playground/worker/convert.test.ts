// The converter in the worker: it detects the wire format of a body, finds the positions of errors, and lists the
// corrections and the fields of a protobuf body.

import { describe, expect, it } from "vitest";
import { bodyExamples } from "../../../playground/src/modes/convert/examples.ts";
import { reasonOf } from "../../../playground/src/modes/convert/reasons.ts";
import { bodyBytes, detectForm, hexText } from "../../../playground/src/worker/convert/body-text.ts";
import type { ConversionJob, Converted, Refused, WireForm } from "../../../playground/src/worker/convert/conversion.ts";
import { convert } from "../../../playground/src/worker/convert/convert.ts";
import { readFields } from "../../../playground/src/worker/convert/protobuf-fields.ts";
import { loadMill } from "./load-mill.ts";

const mill = await loadMill();
const decoder = new TextDecoder();
const plain: Omit<ConversionJob, "text"> = {
  form: null,
  category: "network",
  precision: "",
  now: 1_763_719_200_000_000_000n,
};

async function converted(text: string, part: Partial<ConversionJob> = {}): Promise<Converted> {
  const answer = await convert(mill, { ...plain, text, ...part });
  if (answer.kind === "refused") throw new Error(answer.faults[0]!.reason);
  return answer;
}

async function refused(text: string, part: Partial<ConversionJob> = {}): Promise<Refused> {
  const answer = await convert(mill, { ...plain, text, ...part });
  if (answer.kind === "converted") throw new Error("the body was converted");
  return answer;
}

const bodyOf = ({ written }: Converted, form: WireForm) => written.find((each) => each.form === form)!;

const line = "cpu,host=web-1 load=0.71,n=9007199254740993i 1763719200000000000";

describe("a body", () => {
  it.each<[form: WireForm, text: string]>([
    ["lp", line],
    ["lp", ""],
    ["lp", "m f=1"],
    ["json", '[{"measurement":"m","fields":{"f":1}}]'],
    ["json", ' \n[ { "fields" : { } } ]'],
    ["json", "[]"],
    ["json", '{"measurement":"m"}'],
    ["pbjson", '[{"name":"m","fields":[{"key":"f","f":1}]}]'],
    ["pbjson", '[{"name":"m","time":"5"}]'],
    ["pb", "0a 03 0a 01 6d"],
    ["pb", "0a030a016d"],
    ["pb", "CgMKAW0="],
    ["lp", "0a030a01"],
  ])("of %s is detected: %j", (form, text) => {
    expect(detectForm(text)).toBe(form);
  });

  it("stays the same when it is converted to each form and back, except a large integer in JSON", async () => {
    const first = await converted(line);
    expect([first.form, first.points, first.size, first.corrected]).toEqual(["lp", 1, line.length, 0]);
    for (const { form, bytes, packed, leftOut } of first.written) {
      const text = form === "pb" ? hexText(bytes) : decoder.decode(bytes);
      const back = await converted(text);
      expect(decoder.decode(bodyOf(back, "lp").bytes)).toBe(
        form === "json" ? line.replace("9007199254740993i", "9007199254740992") : line,
      );
      expect([back.form, packed > 20, leftOut]).toEqual([form, true, 0]);
    }
  });

  it("is converted with a count of the points that line protocol cannot express", async () => {
    const answer = await converted('[{"measurement":"m","tags":{"t":"v"}},{"measurement":"m","fields":{"f":1}}]');
    expect(answer.written.map(({ form, leftOut }) => [form, leftOut])).toEqual([
      ["lp", 1],
      ["json", 0],
      ["pbjson", 0],
      ["pb", 0],
    ]);
  });

  it("is read with the requested precision and default time", async () => {
    expect(decoder.decode(bodyOf(await converted("m f=1 5", { precision: "h" }), "lp").bytes)).toBe(
      "m f=1 18000000000000",
    );
    expect(decoder.decode(bodyOf(await converted("m f=1"), "lp").bytes)).toBe("m f=1 1763719200000000000");
  });

  it("is corrected by the rules of its category, each correction with its reason", async () => {
    const text = 'a f=1\nb s="text",a.b=1';
    const answer = await converted(text, { category: "logging" });
    expect(answer.corrections).toEqual([
      {
        point: 1,
        measurement: "a",
        type: "add_required_kv",
        message: 'add required key-value "status": "unknown"',
      },
      { point: 2, measurement: "b", type: "dot_in_key", message: "invalid field key `a.b': found `.'" },
      {
        point: 2,
        measurement: "b",
        type: "add_required_kv",
        message: 'add required key-value "status": "unknown"',
      },
    ]);
    expect((await converted(text, { category: "metric" })).corrections.map(({ type }) => type)).toEqual([
      "invalid_field_value_type",
    ]);
  });
});

describe("an example", () => {
  it.each<[title: string, outcome: readonly [WireForm, number, number]]>([
    ["Metrics", ["lp", 3, 0]],
    ["Logs that get corrected", ["json", 2, 4]],
    ["A span", ["pbjson", 1, 0]],
    ["A binary body", ["pb", 1, 0]],
  ])("%s has the form, the points and the corrections that its title promises", async (title, outcome) => {
    const { body, category, precision } = bodyExamples.find((each) => each.title === title)!.input;
    const answer = await converted(body, { category, precision });
    expect([answer.form, answer.points, answer.corrected]).toEqual(outcome);
    for (const { type } of answer.corrections) expect(reasonOf(type, category)).toMatch(/^[A-Z].*\.$/);
  });

  it("named “Two wrong lines” is refused with two failed lines", async () => {
    const { body, category, precision } = bodyExamples.find(({ title }) => title === "Two wrong lines")!.input;
    expect((await refused(body, { category, precision })).failed).toBe(2);
  });
});

describe("a line that is refused", () => {
  // In each line, > and < enclose the part that must be marked as wrong.
  it.each<[reason: string, marked: string]>([
    ["missing measurement", "><,t=v f=1"],
    ["invalid field format", "m ><"],
    ["missing fields", "m,t=v><"],
    ["missing tag value", "m,t>=< f=1"],
    ["missing tag key", "m,>=<v f=1"],
    ["invalid tag format", "m,t=v>=<w f=1"],
    ["missing field value", "m f>=<"],
    ["missing field value", "m f>=<,g=1"],
    ["missing field key", "m >=<1"],
    ["invalid number", "m a=1,f=>NaN<,g=2"],
    ["invalid boolean", "m b=>yes< 1"],
    ["unable to parse integer", "m i=>9223372036854775808i< 1"],
    ["unable to parse unsigned", "m u=>18446744073709551616u<"],
    ["unbalanced quotes", 'm s=>"open, a=1<'],
    ["invalid string, got tail char `x'", 'm s="a">x<,b=1'],
    ["mixed type elements found in array", "m a=>[1i,2.5]< 1"],
    ["missing closing bracket", "m a=>[1i,2<"],
    ["invalid base64 string", 'm d=>"a"b< 1'],
    ["bad timestamp", "m f=1 >x1<"],
    ["point is invalid", "m f=1 1 >2<"],
    ["time outside range", "m f=1 >9223372036854775807<"],
    ["invalid number", "m,é=ö\\ x\\,y 你=>1.2.3<"],
  ])("for %s is marked where it goes wrong: %s", async (reason, marked) => {
    const text = marked.replace(/[<>]/g, "");
    const body = `ok f=1 1\n\n  ${text}\nok f=2 2`;
    const { faults, failed } = await refused(body, { form: "lp" });
    const [fault] = faults;
    const start = body.indexOf(text);
    expect([failed, fault!.reason.startsWith(reason), fault!.reason]).toEqual([1, true, fault!.reason]);
    expect([fault!.from - start, fault!.to - start]).toEqual([marked.indexOf(">"), marked.lastIndexOf("<") - 1]);
    expect([fault!.line, fault!.column]).toEqual([3, 3 + marked.indexOf(">")]);
    expect(fault!.byte).toBe(new TextEncoder().encode(body.slice(0, fault!.from)).length);
  });

  it("is reported with its line number, up to 100 lines", async () => {
    const { faults, failed } = await refused(Array.from({ length: 250 }, (_, at) => `m${at} f=`).join("\n"));
    expect([failed, faults.length]).toEqual([250, 100]);
    expect(faults.map(({ line: number }) => number)).toEqual(Array.from({ length: 100 }, (_, at) => at + 1));
  });
});

describe("JSON that is refused", () => {
  it.each<[reason: string, marked: string]>([
    ["invalid character", '[{"measurement":"m","fields":{"a":1},>}<]'],
    ["unexpected end", '[{"measurement":"m"><'],
    ["body must be an array", '>{"measurement":"m"}<'],
    ["point 1 is null", '[{"fields":{}}, >null<]'],
    ["point 1: measurement must be", '[{"fields":{"a":1}}, {"measurement": >5< }]'],
    ["point 0: fields: ", '[{"fields":{"é,\\"}":[1,2],"a":>1e999<}}]'],
    ["point 0: tags: ", '[{"tags":{"a":"x","t":>{"b":[]}<}}]'],
    ["point 0: time must be", '[{"fields":{"time":1},"time":>"x"<}]'],
    ["point 0: has none", '[>{"level":"info"}<]'],
    ["point 0: fields[1]: i must be", '[{"name":"m","fields":[{"key":"a","i":"1"},{"key":"c","i":>"x"<}]}]'],
    ["point 0: fields[0]: unknown member", '[{"name":"m","fields":[{"key":"a","x y":>1<}]}]'],
    ["point 0: fields[0] is null", '[{"name":"m","fields":[>null<]}]'],
    ["point 0: fields[0]: exactly one value", '[{"name":"m","fields":[>{"key":"a","i":1,"f":2}<]}]'],
  ])("for %s is marked where it goes wrong: %s", async (reason, marked) => {
    const text = marked.replace(/[<>]/g, "");
    const { faults } = await refused(text);
    expect(faults[0]!.reason).toContain(reason);
    expect([faults[0]!.from, faults[0]!.to]).toEqual([marked.indexOf(">"), marked.lastIndexOf("<") - 1]);
  });
});

describe("protobuf", () => {
  it("is read as hex in any spelling, and as base64", () => {
    const bytes = Uint8Array.from([0x0a, 0x00, 0xff, 0x10]);
    for (const text of [
      "0a00ff10",
      "0A 00 FF 10",
      "0a:00:ff:10",
      "0x0a, 0x00, 0xff,\n0x10",
      "\\x0a\\x00\\xff\\x10",
      "CgD/EA==",
      "CgD_EA",
    ])
      expect([text, bodyBytes(text, "pb").bytes]).toEqual([text, bytes]);
    const long = Uint8Array.from({ length: 100 }, (_, at) => at);
    expect(bodyBytes(hexText(long), "pb").bytes).toEqual(long);
  });

  it.each<[text: string, marked: string, reason: string]>([
    ["0a 0g", "g", '"g"'],
    ["0a 0", "0", "middle of a byte"],
    ["CgD/E!==", "!", '"!"'],
    // Field 1 of the message PBPoints has the wrong wire type. The error is at the tag of this protobuf field.
    ["0a 00 08 05", "08 05", "wrong wireType"],
    ["0a 00 0a 05 0a", "0a 05 0a", "unexpected EOF"],
    // The bytes of a point in protobuf that has a tag with an integer value. The decoder refuses such a point.
    ["0a 0c 0a 01 6d 12 07 0a 01 74 10 05 40 01", "12 07 0a 01 74 10 05 40 01", "tag value must be a string"],
  ])("%j has its error at %j", async (text, marked, reason) => {
    const { faults } = await refused(text, { form: "pb" });
    expect(faults[0]!.reason).toContain(reason);
    const at = text.lastIndexOf(marked);
    expect([faults[0]!.from, faults[0]!.to]).toEqual([at, at + marked.length]);
  });

  it("is shown with name, value and bytes of each field, and nested fields lie inside their message", async () => {
    const answer = await converted('cpu,host=a load=0.5,i=-1i,u=7u,b=true,s="é",a=[1i,2i] 1763719200000000000', {
      category: "metric",
    });
    const { bytes } = bodyOf(answer, "pb");
    const shown = answer.fields.map(({ depth, name, value }) => `${" ".repeat(depth)}${name} ${value}`.trimEnd());
    expect(shown.slice(0, 5)).toEqual(["arr", ' name "cpu"', " fields", '  key "load"', "  f 0.5"]);
    for (const text of [
      "  i -1",
      "  u 7",
      "  b true",
      "    arr",
      "     i 2",
      " time 1763719200000000000",
      "  is_tag true",
    ])
      expect(shown).toContain(text);
    const open: { to: number }[] = [{ to: bytes.length }];
    for (const field of answer.fields) {
      open.length = field.depth + 1;
      expect(field.to).toBeLessThanOrEqual(open.at(-1)!.to);
      expect(field.from < field.valueFrom || field.valueFrom === field.to).toBe(true);
      open.push(field);
    }
    expect(answer.fields[0]).toMatchObject({ from: 0, to: bytes.length });
  });

  it("is read up to the first error", () => {
    const bytes = Uint8Array.from([0x0a, 0x03, 0x0a, 0x01, 0x6d, 0x0a, 0x09]);
    const { fields, fault } = readFields(bytes, 100);
    expect([fields.map(({ name }) => name), fault]).toEqual([["arr", "name"], 5]);
  });
});

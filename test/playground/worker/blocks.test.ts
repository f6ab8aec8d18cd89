// The worker cuts its input into blocks of whole lines or whole JSON elements. Together the blocks contain the
// same lines or elements, however the input is split into chunks when it arrives.

import { describe, expect, it } from "vitest";
import { joined, jsonBlocks, lineBlocks } from "../../../playground/src/worker/blocks.ts";
import { collected, pieces } from "./load-mill.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

describe("blocks of lines", () => {
  const text = "first\nsecond, longer\n\nfourth\r\nfifth without end";

  it.each([1, 2, 3, 7, 20, 1000])("end with a newline when chunks have %d bytes", async (size) => {
    for (const least of [1, 8, 30]) {
      const blocks = await collected(lineBlocks(pieces(encoder.encode(text), size), least));
      expect(decoder.decode(joined(blocks.map(({ bytes }) => bytes)))).toBe(text);
      const texts = blocks.map(({ bytes }) => decoder.decode(bytes));
      expect(texts.slice(0, -1).every((each) => each.endsWith("\n") && each.length >= least)).toBe(true);
      blocks.forEach(({ line }, at) => {
        expect(line).toBe(texts.slice(0, at).join("").split("\n").length);
      });
    }
  });

  it("are none when there is no input", async () => {
    expect(await collected(lineBlocks(pieces(new Uint8Array(0), 1), 1))).toEqual([]);
  });
});

describe("elements of JSON", () => {
  const elements = ['{"a":"[1,2]\\"}","b":[{}]}', '{"c":"é\\\\"}', "12", '"text, ]"', "[1,[2]]", "null"];

  it.each([1, 2, 5, 1000])("are read from an array and from a sequence alike, in chunks of %d bytes", async (size) => {
    for (const [open, between, close] of [
      ["[", ",\n", "]"],
      ["  [ ", " , ", " ] \n"],
    ]) {
      const text = open + elements.join(between) + close;
      const found = await collected(jsonBlocks(pieces(encoder.encode(text), size)));
      expect(found.flatMap((block) => block.elements.map((each) => decoder.decode(each)))).toEqual(elements);
    }
    const objects = ['{"a":1}', '{"b":"}"}', "{}"];
    const found = await collected(jsonBlocks(pieces(encoder.encode(objects.join("\n")), size)));
    expect(found.flatMap((block) => block.elements.map((each) => decoder.decode(each)))).toEqual(objects);
    expect(found.flatMap((block) => block.lines)).toEqual([1, 2, 3]);
  });

  it("include an unfinished element at the end of the input", async () => {
    const found = await collected(jsonBlocks(pieces(encoder.encode('[{"a":1},\n{"b":'), 3)));
    expect(found.flatMap((block) => block.elements.map((each) => decoder.decode(each)))).toEqual(['{"a":1}', '{"b":']);
  });
});

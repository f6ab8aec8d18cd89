// Tests the web stream that runs lines of text through a script: input in chunks, long lines, back-pressure,
// errors.

import { beforeAll, describe, expect, it } from "vitest";
import { LineSplitter } from "../../../lib/easy/line-splitter.ts";
import {
  createMillrace,
  type LinesOptions,
  type Millrace,
  type ObjectScript,
  type RunObject,
  type TextChunk,
} from "../../../lib/index.ts";
import { wasmBytes } from "../wasm/load.ts";

let mill: Millrace;
let script: ObjectScript;
beforeAll(async () => {
  mill = await createMillrace({ wasm: await wasmBytes(), clock: () => 7n });
  script = mill.script('grok(_, "%{INT:n:int} %{GREEDYDATA:text}")\nif n == 13 { drop() }');
});

function sourceOf(chunks: Iterable<TextChunk>): ReadableStream<TextChunk> {
  const iterator = chunks[Symbol.iterator]();
  return new ReadableStream<TextChunk>(
    {
      pull: (controller) => {
        const { done, value } = iterator.next();
        if (done === true) controller.close();
        else controller.enqueue(value);
      },
    },
    { highWaterMark: 0 },
  );
}

async function all<T>(stream: ReadableStream<T>): Promise<T[]> {
  const values: T[] = [];
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return values;
    values.push(value);
  }
}

const run = (chunks: Iterable<TextChunk>, options?: LinesOptions & { as?: "object" }): Promise<RunObject[]> =>
  all(sourceOf(chunks).pipeThrough(mill.lines(script, options)));

const text = "1 one\r\n\n13 dropped\n2 zwölf ☃\n3 last";
const expected = [
  [1n, "one"],
  [2n, "zwölf ☃"],
  [3n, "last"],
];

describe("the chunks of a line stream", () => {
  const bytes = new TextEncoder().encode(text);
  const pieces = (size: number): Uint8Array[] =>
    Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.slice(i * size, (i + 1) * size));
  it.each<[string, TextChunk[]]>([
    ["one string", [text]],
    ["one buffer", [bytes.buffer]],
    ["single bytes", pieces(1)],
    ["pieces of 7 bytes", pieces(7)],
    ["strings and bytes", [text.slice(0, 9), new TextEncoder().encode(text.slice(9))]],
    ["an empty chunk between", [text.slice(0, 4), "", text.slice(4)]],
  ])("may be %s", async (_, chunks) => {
    const results = await run(chunks);
    expect(results.map(({ fields }) => [fields.n, fields.text])).toEqual(expected);
    expect(results[0]).toMatchObject({ dropped: false, fields: { status: "unknown", message: "1 one" } });
  });

  it("may be overwritten by their writer after the write", async () => {
    const chunk = new TextEncoder().encode("1 a");
    const stream = mill.lines(script);
    const results = all(stream.readable);
    const writer = stream.writable.getWriter();
    await writer.write(chunk);
    chunk.fill(0x78);
    await writer.close();
    expect((await results)[0]!.fields.text).toBe("a");
  });

  it("must be text or bytes", async () => {
    await expect(run([5 as unknown as string])).rejects.toThrow(/^lines: chunk must be .*; got 5$/);
  });

  it("may be absent or contain only empty lines", async () => {
    expect(await run([])).toEqual([]);
    expect(await run(["\n\n"])).toEqual([]);
  });
});

describe("line protocol output", () => {
  it("is written as chunks of bytes that can be joined", async () => {
    const chunks = await all(sourceOf([text]).pipeThrough(mill.lines(script, { as: "lp" })));
    const lines = chunks.map((chunk) => new TextDecoder().decode(chunk)).join("");
    expect(lines).toBe(
      [
        '__default message="1 one",n=1i,status="unknown",text="one" 7\n',
        '__default message="2 zwölf ☃",n=2i,status="unknown",text="zwölf ☃" 7\n',
        '__default message="3 last",n=3i,status="unknown",text="last" 7\n',
      ].join(""),
    );
  });
});

describe("a long line", () => {
  it.each([
    ["in one chunk", ["1 a\n2 bbbbbb\n3 c"]],
    ["over chunks", ["1 a\n2 b", "bbb", "bb\n3 c"]],
    ["without an end", ["1 a\n", ..."2 bbbbbb"]],
  ])("%s ends the stream with an error that names the line", async (_, chunks) => {
    await expect(run(chunks, { maxLineBytes: 7 })).rejects.toThrow(
      "lines: line 2 is longer than maxLineBytes, 7 bytes",
    );
  });

  it("is cut with the option longLines, never within a character", async () => {
    const results = await run(["1 aä", "äää\n2 bbbbb\r\n3 c"], { maxLineBytes: 7, longLines: "cut" });
    expect(results.map(({ fields }) => fields.message)).toEqual(["1 aää", "2 bbbbb", "3 c"]);
  });

  it("uses no more memory than its limit", () => {
    const splitter = new LineSplitter(1000, true);
    const piece = new Uint8Array(4096).fill(0x61);
    for (let i = 0; i < 100; i++) {
      splitter.add(piece);
      expect(splitter.next(false)).toBeUndefined();
    }
    expect((splitter as unknown as { held: Uint8Array }).held.length).toBe(1001);
    splitter.add("\n");
    expect(splitter.next(false)).toBe("a".repeat(1000));
  });
});

describe("back-pressure", () => {
  it("stops the source while nobody reads, also in the middle of a chunk", async () => {
    let taken = 0;
    const chunks = (function* () {
      for (; taken < 1000; taken++) yield Array.from({ length: 100 }, (_, i) => `${i + 20} x\n`).join("");
    })();
    const reader = sourceOf(chunks)
      .pipeThrough(mill.lines(script, { ahead: 8 }))
      .getReader();
    await reader.read();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(taken).toBeLessThan(4);
    for (let i = 0; i < 1000; i++) await reader.read();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(taken).toBeGreaterThan(8);
    expect(taken).toBeLessThan(16);
    await reader.cancel("enough");
  });
});

describe("an early end of the stream", () => {
  it("by the reader cancels the source", async () => {
    let reason: unknown;
    const source = new ReadableStream<TextChunk>({
      pull: (controller) => controller.enqueue("1 a\n"),
      cancel: (why) => {
        reason = why;
      },
    });
    const reader = source.pipeThrough(mill.lines(script)).getReader();
    await reader.read();
    await reader.cancel("enough");
    await expect.poll(() => reason).toBe("enough");
  });

  it("by an error of the source is reported to the reader", async () => {
    const source = new ReadableStream<TextChunk>({
      pull: (controller) => controller.error(new Error("the source broke")),
    });
    await expect(all(source.pipeThrough(mill.lines(script)))).rejects.toThrow("the source broke");
  });

  it("is not caused by a run error, which the result contains", async () => {
    const failing = mill.script("for ;; {}", { maxSteps: 10 });
    const [result] = await all(sourceOf(["a"]).pipeThrough(mill.lines(failing)));
    expect(result!.error!.message).toContain("exceeded 10 steps");
  });
});

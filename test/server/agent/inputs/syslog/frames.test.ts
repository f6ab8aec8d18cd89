// Splits a TCP stream into syslog messages. The result must not depend on how the stream is cut into chunks.

import { expect, it } from "vitest";
import { FrameError, FrameReader, type Framing } from "../../../../../server/agent/inputs/syslog/frames.ts";

interface Read {
  readonly messages: readonly string[];
  readonly cut: number;
  readonly held: number;
  readonly mostHeld: number;
  readonly error?: string;
}

/** Passes a stream to the reader in chunks of `step` bytes, and returns the messages. */
function read(stream: string, step: number, options: { framing?: Framing; most?: number; limit?: number } = {}): Read {
  const { framing = "auto", most = 100, limit = 1e9 } = options;
  const messages: string[] = [];
  let [cut, held, mostHeld] = [0, 0, 0];
  const reader = new FrameReader({
    framing,
    mostBytes: most,
    take: (bytes, from, to, isCut) => {
      messages.push(Buffer.from(bytes.subarray(from, to)).toString("latin1"));
      if (isCut) cut++;
    },
    hold: (bytes) => {
      if (bytes > 0 && held + bytes > limit) return false;
      held += bytes;
      mostHeld = Math.max(mostHeld, held);
      return true;
    },
  });
  const bytes = Buffer.from(stream, "latin1");
  try {
    for (let at = 0; at < bytes.length; at += step) reader.read(bytes.subarray(at, at + step));
    reader.end();
  } catch (error) {
    if (!(error instanceof FrameError)) throw error;
    reader.discard();
    return { messages, cut, held, mostHeld, error: error.message };
  }
  return { messages, cut, held, mostHeld };
}

const counted = (...messages: string[]) => messages.map((each) => `${each.length} ${each}`).join("");

it.each<[stream: string, messages: string[], options?: { framing?: Framing; most?: number }, cut?: number]>([
  ["<1>a\n<2>b\n", ["<1>a", "<2>b"]],
  ["<1>a\r\n<2>b", ["<1>a\r", "<2>b"]],
  ["<1>a\0<2>b\0", ["<1>a", "<2>b"]],
  ["\n\n\0<1>a\n\n", ["<1>a"]],
  [counted("<1>a", "<2>b\nc", "<3>"), ["<1>a", "<2>b\nc", "<3>"]],
  [`${counted("<1>a")}\n${counted("<2>b")}<3>c\n${counted("<4>d")}`, ["<1>a", "<2>b", "<3>c", "<4>d"]],
  // A number at the start of a line counts as the length of a message only if a space and a message of this length
  // follow it. Otherwise it is text.
  ["404 not found\n12\n3 <x\n", ["404 not found", "12", "<x\n"]],
  ["12345678901 <1>a\n", ["12345678901 <1>a"]],
  ["0 <1>a\n", ["0 <1>a"]],
  ["4 <1>a\n", ["4 <1>a"], { framing: "newline" }],
  [counted("a", "b c"), ["a", "b c"], { framing: "octet-counting" }],
  // A message that is too long is cut; the next message is complete again.
  [`<1>${"a".repeat(30)}\n<2>b\n`, [`<1>${"a".repeat(7)}`, "<2>b"], { most: 10 }, 1],
  [`<1>${"a".repeat(7)}\n<2>b\n`, [`<1>${"a".repeat(7)}`, "<2>b"], { most: 10 }],
  [counted(`<1>${"a".repeat(30)}`, "<2>b"), [`<1>${"a".repeat(7)}`, "<2>b"], { most: 10 }, 1],
  [counted(`<1>${"a".repeat(7)}`, "<2>b"), [`<1>${"a".repeat(7)}`, "<2>b"], { most: 10 }],
  [`9999999999 <1>${"a".repeat(500)}`, [`<1>${"a".repeat(7)}`], { most: 10 }, 1],
  // The stream ends in the middle of a message.
  ["20 <1>a", ["<1>a"], {}, 1],
  ["12", []],
])("finds the messages of %j", (stream, messages, options = {}, cut = 0) => {
  for (let step = 1; step <= stream.length; step++) {
    expect({ step, ...read(stream, step, options) }).toMatchObject({ step, messages, cut, held: 0 });
  }
});

it("refuses a stream without lengths when octet counting is required", () => {
  for (const step of [1, 2, 100]) {
    const { error, messages, held } = read("4 <1>a<2>b\n", step, { framing: "octet-counting" });
    expect([messages, error, held]).toEqual([["<1>a"], "a message does not begin with its length", 0]);
  }
});

it("holds at most one message of maximum length for an endless frame, and at most the memory limit", () => {
  const endless = `<1>${"a".repeat(100_000)}`;
  const { messages, cut, mostHeld, held } = read(endless, 7, { most: 1000 });
  expect([messages.map((each) => each.length), cut, held]).toEqual([[1000], 1, 0]);
  expect(mostHeld).toBeLessThanOrEqual(1000);
  const limited = read(endless, 7, { most: 1000, limit: 500 });
  expect([limited.messages, limited.error, limited.held]).toEqual([[], "max_unfinished_bytes", 0]);
  expect(limited.mostHeld).toBeLessThanOrEqual(500);
});

// The output that writes points to standard output. The tests write every wire format from batches of line protocol
// (also compressed) and from batches of protobuf, and run a real agent whose standard output is a pipe.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { expect, it, onTestFinished } from "vitest";
import { createMillrace } from "../../../../lib/index.ts";
import { createEngine } from "../../../../server/agent/create-engine.ts";
import { compileWasm } from "../../../../server/agent/engine.ts";
import type { Batch } from "../../../../server/agent/outputs/batch.ts";
import type { Output } from "../../../../server/agent/outputs/output.ts";
import { besideStdout, createStdoutOutput, type StdoutForm } from "../../../../server/agent/outputs/stdout-output.ts";
import { startGateway } from "../../support/recording-gateway.ts";
import { program } from "../../support/running-agent.ts";

const lines = "cpu,host=a load=1.5,n=9007199254740993i 1700000000000000001\nmem,host=b used=2.5 1700000000000000002";

interface Written {
  readonly output: Output;
  readonly chunks: Buffer[];
  readonly counted: number[];
}

async function outputOf(form: StdoutForm, options: { batchForm?: "lp" | "pb"; isTTY?: boolean; fails?: boolean } = {}) {
  const { batchForm = "lp", isTTY = false, fails = false } = options;
  const chunks: Buffer[] = [];
  const counted: number[] = [];
  const output = createStdoutOutput({
    stream: {
      isTTY,
      destroyed: false,
      write: (bytes, done) => {
        if (!fails) chunks.push(Buffer.from(bytes as Uint8Array));
        setImmediate(() => done(fails ? new Error("EPIPE") : null));
        return true;
      },
    },
    form,
    batchForm,
    engine: await createEngine(compileWasm(), { maxSteps: 0 }),
    onWritten: ({ points }) => counted.push(points),
  });
  return { output, chunks, counted } satisfies Written;
}

const batchOf = (body: Uint8Array, more: Partial<Batch> = {}): Batch => ({
  category: "metric",
  body,
  points: 2,
  ...more,
});

it.each<[form: StdoutForm]>([["lp"], ["json"], ["pbjson"], ["pb"]])(
  "writes %s from batches of line protocol, compressed ones, and protobuf",
  async (form) => {
    const mill = await createMillrace({ wasm: compileWasm() });
    const points = mill.decodePoints(Buffer.from(lines), { category: "metric", form: "lp", precision: "n", now: 0n });
    const protobuf = new Uint8Array(mill.encodePoints(points, "pb"));
    const ways = [
      [await outputOf(form), batchOf(Buffer.from(lines))],
      [await outputOf(form), batchOf(gzipSync(lines), { gzip: true })],
      [await outputOf(form, { batchForm: "pb" }), batchOf(protobuf)],
    ] as const;
    for (const [{ output, chunks, counted }, batch] of ways) {
      await output.put([batch, batch]);
      expect(counted).toEqual([2, 2]);
      const bytes = Buffer.concat(chunks);
      // The test decodes the text that the output has written. In the JSON formats, each point is on a line of its own.
      const text = bytes.toString();
      if (form !== "pb") expect(text.split("\n")).toHaveLength(5);
      const body =
        form === "json" || form === "pbjson" ? Buffer.from(`[${text.trimEnd().split("\n").join(",")}]`) : bytes;
      const read = mill.decodePoints(new Uint8Array(body), { category: "metric", form, precision: "n", now: 0n });
      // Numbers in JSON are decoded as floats, so a large integer loses its last digit.
      const expected = form === "json" ? lines.replace("9007199254740993i", "9007199254740992") : lines;
      if (form !== "pb") expect(text).toContain("9007199254740993");
      expect(Buffer.from(mill.encodePoints(read, "lp")).toString().trimEnd()).toBe(`${expected}\n${expected}`);
    }
  },
);

it("prints no control characters on a terminal", async () => {
  const body = Buffer.from('m a="\x1b[2Jx" 1');
  for (const form of ["lp", "json"] as const) {
    const { output, chunks } = await outputOf(form, { isTTY: true });
    await output.put([batchOf(body)]);
    expect(Buffer.concat(chunks).toString()).not.toContain("\x1b");
  }
});

it("refuses writes when the reader is gone, and reports this as a problem", async () => {
  const { output, counted } = await outputOf("lp", { fails: true });
  await expect(output.put([batchOf(Buffer.from(lines))])).rejects.toThrow(
    "standard output could not be written: EPIPE",
  );
  expect([counted, output.problems()]).toEqual([[], ["standard output could not be written: EPIPE"]]);
});

it("prints batches that another output has stored, and refuses no write when printing fails", async () => {
  const memory = Buffer.from("m a=1 1");
  const errors: string[] = [];
  const first = (isFull: boolean): Output => ({
    wantsCompressed: true,
    put: async () => {
      // This output overwrites the batch that it was given. It may do so because the memory of a batch is used for
      // other batches as soon as the batch is stored.
      memory.fill(0x78);
      if (isFull) throw new Error("full");
    },
    queues: () => [],
    problems: () => ["a problem"],
    close: async () => {},
  });
  const written = await outputOf("lp");
  const both = besideStdout(first(false), written.output, (error) => errors.push(error.message));
  await both.put([batchOf(memory)]);
  expect(Buffer.concat(written.chunks).toString()).toBe("m a=1 1\n");
  expect([both.wantsCompressed, both.problems()]).toEqual([true, ["a problem"]]);
  const failing = await outputOf("lp", { fails: true });
  await besideStdout(first(false), failing.output, (error) => errors.push(error.message)).put([batchOf(memory)]);
  expect(errors).toEqual(["standard output could not be written: EPIPE"]);
  const unwritten = await outputOf("lp");
  await expect(besideStdout(first(true), unwritten.output, () => {}).put([batchOf(memory)])).rejects.toThrow("full");
  expect(unwritten.chunks).toEqual([]);
});

/** Runs an agent with `input` as its standard input until it ends. Returns its standard output. */
async function agentOutput(input: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const dataDir = mkdtempSync(path.join(tmpdir(), "millrace-stdout-"));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const place = ["--listen", "127.0.0.1:0", "--data-dir", dataDir];
  const child = spawn(process.execPath, [program, "agent", ...place, "--stdin", "--source", "web", ...args], {
    env: { ...process.env, ...env },
  });
  let [out, log] = ["", ""];
  child.stdout.on("data", (chunk) => {
    out += chunk;
  });
  child.stderr.on("data", (chunk) => {
    log += chunk;
  });
  child.stdin.end(input);
  const [code] = await once(child, "close");
  return { out, log, code };
}

it("a piped agent writes only points to standard output", async () => {
  const { out, log, code } = await agentOutput('a "b"\nc\n', ["--stdout", "json"]);
  expect(code).toBe(0);
  expect(log).toContain("Millrace agent listening on");
  const points = out
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(points).toMatchObject([
    { measurement: "web", fields: { message: 'a "b"' } },
    { measurement: "web", fields: { message: "c" } },
  ]);
});

it("prints the points beside a gateway, whatever the format of uploads", async () => {
  const gateway = await startGateway();
  onTestFinished(() => gateway.close());
  const env = {
    ENV_GATEWAY: `${gateway.url}?token=tkn_0123456789abcdef`,
    ENV_GATEWAY_CONTENT_ENCODING: "protobuf",
  };
  const { out, code } = await agentOutput("one\ntwo\n", ["--stdout", "lp"], env);
  expect(code).toBe(0);
  expect(out.split("\n").map((line) => / message="(\w+)"/.exec(line)?.[1])).toEqual(["one", "two", undefined]);
  expect(gateway.taken.length).toBeGreaterThan(0);
});

it("refuses an unknown format", async () => {
  const { code, log } = await agentOutput("", ["--stdout", "xml"]);
  expect(code).not.toBe(0);
  expect(log).toContain("output.stdout must be off or lp or json or pbjson or pb");
});

// One pull of reference tables from a URL: the request, the answers that are accepted, retries, and failures, which
// leave the tables unchanged.

import { describe, expect, it } from "vitest";
import { memoryStore } from "../../../server/refer-table/memory-store.ts";
import { type Pulled, type PullOptions, pullTables } from "../../../server/refer-table/pull.ts";
import type { Known } from "../../../server/refer-table/store.ts";

const document = JSON.stringify([{ table_name: "t", column_name: ["a"], column_type: ["int"], row_data: [[1], [2]] }]);
const json = { "content-type": "application/json" };

function pull(answers: (Response | Error)[], options: Partial<PullOptions> = {}) {
  const sent: { url: string; headers: Record<string, string> }[] = [];
  const slept: number[] = [];
  const send = async (url: URL, init: { headers: Record<string, string> }) => {
    sent.push({ url: String(url), headers: init.headers });
    const next = answers.shift()!;
    if (next instanceof Error) throw next;
    return next;
  };
  const pulled = pullTables({
    url: new URL("http://tables.test/all"),
    maxBytes: 10_000,
    known: null,
    store: memoryStore(),
    fetch: send as unknown as typeof fetch,
    sleep: async (ms) => {
      slept.push(ms);
    },
    ...options,
  });
  return pulled.then((result) => ({ result, sent, slept }));
}

const reasons = (result: Awaited<ReturnType<typeof pullTables>>) =>
  result.kind === "failed" ? result.reasons : result.kind;

describe("a load", () => {
  it("returns tables in shared memory, and the ETag and Last-Modified of the answer", async () => {
    const headers = { ...json, etag: '"1"', "last-modified": "Fri, 21 Nov 2025 10:00:00 GMT" };
    const { result } = await pull([new Response(document, { headers })]);
    expect(result).toMatchObject({ kind: "loaded", bytes: document.length, warnings: [], known: { etag: '"1"' } });
    const { inForce } = (result as Extract<Pulled, { kind: "loaded" }>).stored;
    const [table] = inForce.kind === "memory" ? inForce.tables : [];
    expect(table.rowCount).toBe(2);
    const [{ cells, texts }] = table.columns;
    expect((cells ?? texts!.heap).buffer).toBeInstanceOf(SharedArrayBuffer);
  });

  it("sends the known ETag, and treats status 304 and equal bytes as unchanged", async () => {
    const loaded = await pull([new Response(document, { headers: { ...json, etag: '"1"' } })]);
    const known = (loaded.result as { known: Known }).known;
    const again = await pull([new Response(null, { status: 304 })], { known });
    expect(again.result.kind).toBe("unchanged");
    expect(again.sent[0].headers).toMatchObject({ "if-none-match": '"1"' });
    expect((await pull([new Response(document, { headers: json })], { known })).result.kind).toBe("unchanged");
  });

  it("sends user and password of the URL in a header, and never logs them", async () => {
    const { sent, result } = await pull([new Response("", { status: 401, statusText: "Unauthorized" })], {
      url: new URL("http://me:pass@tables.test/all"),
    });
    expect(sent[0]).toEqual({
      url: "http://tables.test/all",
      headers: { accept: "application/json", authorization: "Basic bWU6cGFzcw==" },
    });
    expect(reasons(result)).toEqual(["url: http://tables.test/all, status: 401 Unauthorized"]);
  });

  it.each([["text/plain"], [""], ["application/jsonp"]])("refuses the content type %j", async (type) => {
    const { result } = await pull([new Response(document, { headers: { "content-type": type } })]);
    expect(reasons(result)).toEqual([expect.stringMatching(/content type must be application\/json/)]);
  });

  it("accepts parameters and any letter case in the content type", async () => {
    const headers = { "content-type": "Application/JSON; charset=utf-8" };
    expect((await pull([new Response(document, { headers })])).result.kind).toBe("loaded");
  });

  it("refuses a document that is too large, while it arrives", async () => {
    const { result } = await pull([new Response(document, { headers: json })], { maxBytes: 20 });
    expect(reasons(result)).toEqual([expect.stringMatching(/larger than 20 bytes/)]);
  });

  it("reports its progress every 64 MiB", async () => {
    const blanks = new Uint8Array(1024 * 1024).fill(0x20);
    const body = new ReadableStream({
      start: (controller) => {
        for (let piece = 0; piece < 66; piece++) controller.enqueue(blanks);
        controller.enqueue(new TextEncoder().encode(document));
        controller.close();
      },
    });
    const told: number[] = [];
    const { result } = await pull([new Response(body, { headers: json })], {
      maxBytes: 1e9,
      onProgress: (bytes) => told.push(bytes),
    });
    expect([result.kind, told]).toEqual(["loaded", [64 * 1024 * 1024]]);
  });

  it("refuses invalid JSON and a bad table, with the reason", async () => {
    const bad = document.replace("[1]", '["x"]');
    expect(reasons((await pull([new Response(bad, { headers: json })])).result)).toEqual([
      'table: t, row: 0, col: 0, cast error: cannot convert "x" to int',
    ]);
    expect(reasons((await pull([new Response("[}", { headers: json })])).result)).toEqual([
      expect.stringMatching(/unexpected/),
    ]);
  });

  it("is tried again at most three times after a temporary failure", async () => {
    const down = () => new Response("", { status: 503, statusText: "Service Unavailable" });
    const failed = await pull([down(), new TypeError("refused"), down(), down()]);
    expect(failed.slept).toEqual([1000, 2000, 4000]);
    expect(reasons(failed.result)).toEqual(["url: http://tables.test/all, status: 503 Service Unavailable"]);
    const recovered = await pull([down(), new Response(document, { headers: json })]);
    expect([recovered.result.kind, recovered.slept]).toEqual(["loaded", [1000]]);
  });

  it("waits as long as Retry-After asks for, but at most a minute", async () => {
    const busy = (seconds: string) => new Response("", { status: 429, headers: { "retry-after": seconds } });
    const { slept } = await pull([busy("7"), busy("100000"), new Response(document, { headers: json })]);
    expect(slept).toEqual([7000, 60_000]);
  });

  it.each([404, 501])("is not tried again after status %i", async (status) => {
    const { slept, result } = await pull([new Response("", { status })]);
    expect([slept, result.kind]).toEqual([[], "failed"]);
  });
});

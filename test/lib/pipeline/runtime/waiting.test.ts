// Scripts that wait for HTTP requests: which scripts run asynchronously, equal results of synchronous and asynchronous
// runs, and the limits of requests.

import { describe, expect, it, vi } from "vitest";
import { compileScripts } from "../../../../lib/pipeline/compile/scripts.ts";
import { defaultRequestLimits, Requests } from "../../../../lib/pipeline/runtime/requests.ts";
import type { Fetch } from "../../../../lib/pipeline/runtime/run.ts";
import type { Script } from "../../../../lib/pipeline/runtime/script.ts";
import type { RunOptions } from "../../../../lib/pipeline/runtime/start-run.ts";
import { Point } from "../../../../lib/point/point.ts";
import { Key } from "../../../../lib/point/view.ts";

/** Answers each request with the path of its URL, after three asynchronous steps. */
const echo: Fetch = async (url) => {
  for (let turn = 0; turn < 3; turn++) await Promise.resolve();
  return new Response(new URL(url).pathname.slice(1));
};

const get = (path: string) => `r = http_request("GET", "http://h/${path}")\n`;

function compiled(texts: string | Record<string, string>): ReadonlyMap<string, Script> {
  const set = compileScripts(typeof texts === "string" ? { "a.p": texts } : texts);
  expect([...set.errors]).toEqual([]);
  return set.scripts;
}

async function run(
  texts: string | Record<string, string>,
  fetch: Fetch | null = echo,
  options: Partial<RunOptions> = {},
) {
  const point = new Point("p", 0n);
  point.setField(new Key("message"), "hi");
  const host = { now: () => 0n, random: () => 0, timeZone: "UTC", ...(fetch === null ? {} : { fetch }) };
  const result = await compiled(texts)
    .get("a.p")!
    .runWaiting(point, { category: "metric", host, ...options });
  const fields = Object.fromEntries(Array.from(point.entries(), ({ key, value }) => [key, value]));
  return { fields, result, error: result.error?.error };
}

describe("a script waits", () => {
  it("when it calls http_request, directly or through other scripts", () => {
    const scripts = compiled({
      "direct.p": `if false {\n${get("a")}}`,
      "used.p": 'use("direct.p")',
      "after.p": 'create_point("n", {}, {"f": 1}, after_use="used.p")',
      "other.p": 'use("plain.p")',
      "plain.p": "add_key(a, 1)",
    });
    expect([...scripts].map(([name, { waits }]) => [name, waits])).toEqual([
      ["direct.p", true],
      ["used.p", true],
      ["after.p", true],
      ["other.p", false],
      ["plain.p", false],
    ]);
    expect([...scripts.get("after.p")!.calls].sort()).toEqual(["create_point", "http_request", "use"]);
  });

  it("and then run refuses the script and names runWaiting", () => {
    const host = { now: () => 0n, random: () => 0, timeZone: "UTC" };
    const script = compiled(get("a")).get("a.p")!;
    expect(() => script.run(new Point("p", 0n), { category: "metric", host })).toThrow(/runWaiting/);
  });
});

describe("waiting", () => {
  it("works in conditions, loops, arguments, indexes and literals", async () => {
    const { fields, error } = await run(
      [
        `${get("x")}if r["body"] == "x" { add_key(a, 1) }`,
        `s = ""\nfor i = 0; i < 3; i += 1 { t = http_request("GET", "http://h/" + "n")\ns += t["body"] }\nadd_key(b, s)`,
        `f = load_json("[1,2]")\nfor v in f { u = http_request("GET", "http://h/v")\nadd_key(c, u["body"]) }`,
        `m = {"k": http_request("GET", "http://h/m")}\nn = m["k"]\nadd_key(e, n["body"])`,
        `l = [http_request("GET", "http://h/l"), 1]\nadd_key(f, len(l))`,
        `q = {}\nq[value_type(http_request("GET", "http://h/q"))] = 1\nadd_key(g, q)`,
        `add_key(h, len(http_request("GET", "http://h/abc")) + 1)`,
      ].join("\n"),
    );
    expect(error).toBeUndefined();
    expect(fields).toMatchObject({ a: 1, b: "nnn", c: "v", e: "m", f: 2, g: '{"map":1}', h: 3 });
  });

  it("sends no request that a short circuit skips", async () => {
    const asked: string[] = [];
    const fetch: Fetch = (url, init) => {
      asked.push(url);
      return echo(url, init);
    };
    await run(`if true || len(http_request("GET", "http://h/never")) > 0 { ${get("once")} }`, fetch);
    expect(asked).toEqual(["http://h/once"]);
  });

  it("keeps variables, exit and error positions across called scripts", async () => {
    const { fields, result } = await run({
      "a.p": `v = 1\nuse("b.p")\nadd_key(v)\nadd_key(w, w == nil)\nuse("c.p")`,
      "b.p": `${get("b")}v = 2\nw = 3\nadd_key(b, r["body"])\nexit()\nadd_key(never, 1)`,
      "c.p": `${get("c")}strlen(1)`,
    });
    expect(fields).toMatchObject({ b: "b", v: 1, w: true });
    expect(fields).not.toHaveProperty("never");
    expect(result.error?.pos_chain.map(({ file, ln }) => [file, ln])).toEqual([
      ["c.p", 2],
      ["a.p", 5],
    ]);
  });

  it("runs the after_use script on the new point", async () => {
    const { result, error } = await run({
      "a.p": 'create_point("n", {}, {"f": 1}, category="L", after_use="b.p")\nadd_key(done, 1)',
      "b.p": `${get("b")}add_key(body, r["body"])\ndrop()`,
    });
    expect(error).toBeUndefined();
    expect(result.dropped).toBe(false);
    expect(result.created.map(({ point, dropped }) => [point.get(new Key("body")), dropped])).toEqual([["b", true]]);
  });

  it("treats a failing argument as nil where the function does, and otherwise reports its position", async () => {
    expect((await run('add_key(t, value_type(http_request("GET", 1)))')).fields).toMatchObject({ t: "" });
    const { result } = await run('add_key(t, http_request("GET", 1))');
    expect(result.error).toMatchObject({
      error: "param data type expect string",
      pos_chain: [{ col: 32 }, { col: 1 }],
    });
  });

  it("counts steps like a script that does not wait", async () => {
    expect((await run(`for ;; { ${get("x")} }`, echo, { maxSteps: 20 })).error).toBe("script exceeded 20 steps");
  });
});

describe("http_request", () => {
  const nothing = async (script: string, fetch: Fetch | null) =>
    (await run(`${script}\nadd_key(n, r == nil)`, fetch)).fields.n;

  it("returns nil when requests are switched off, without checking its arguments", async () => {
    expect(await nothing("r = http_request(1, 2)", null)).toBe(true);
  });

  it("returns nil for every failure", async () => {
    expect(await nothing(get("x"), () => Promise.reject(new TypeError("refused")))).toBe(true);
    expect(await nothing('r = http_request("GET", "ftp://h/")', echo)).toBe(true);
    expect(await nothing('r = http_request("NO GOOD", "http://h/")', echo)).toBe(true);
    expect(await nothing('r = http_request("GET", "not a url")', echo)).toBe(true);
    expect(await nothing('r = http_request("GET", "http://h/", {"a b": "c"})', echo)).toBe(true);
    expect(await nothing('r = http_request("GET", "http://h/", {"a": "c\\nd"})', echo)).toBe(true);
  });

  it("sends method, headers and body", async () => {
    let sent: Parameters<Fetch> | undefined;
    const fetch: Fetch = async (...args) => {
      sent = args;
      return new Response("", { status: 201 });
    };
    const script =
      'r = http_request("post", "http://u:p@h:8080/x?y=1", {"X-A": "1", "n": 5, "Host": "evil"}, {"b": 1, "a": [1, "<"]})\n' +
      'add_key(c, r["status_code"])';
    expect((await run(script, fetch)).fields.c).toBe(201);
    const [url, init] = sent!;
    expect([url, init.method, init.headers]).toEqual([
      "http://h:8080/x?y=1",
      "POST",
      { "x-a": "1", authorization: "Basic dTpw" },
    ]);
    expect(new TextDecoder().decode(init.body as Uint8Array)).toBe('{"a":[1,"\\u003c"],"b":1}');
  });
});

describe("requests of a script", () => {
  const request = { method: "GET", url: "http://h/", headers: {}, body: undefined };

  it("run in parallel up to the limit, and the others wait", async () => {
    const requests = new Requests({ ...defaultRequestLimits, atOnce: 2 });
    const answers: ((answer: Response) => void)[] = [];
    const fetch: Fetch = () => new Promise((resolve) => answers.push(resolve));
    const sent = [1, 2, 3, 4].map(() => requests.send(fetch, request));
    await Promise.resolve();
    expect(answers).toHaveLength(2);
    answers[0]!(new Response("a"));
    expect((await sent[0])?.status).toBe(200);
    expect(answers).toHaveLength(3);
    for (const answer of answers.slice(1)) answer(new Response("b"));
    await sent[1];
    await sent[2];
    answers[3]!(new Response("c"));
    expect(new TextDecoder().decode((await sent[3])?.body)).toBe("c");
  });

  it("are limited by default to 16 at once, 5 seconds each and 8 MiB per answer", async () => {
    const requests = new Requests();
    const limits: (number | undefined)[] = [];
    const timeout = vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => {
      limits.push(ms);
      return new AbortController().signal;
    });
    const write = new AbortController();
    const sent = Array.from({ length: 20 }, () => requests.send(() => new Promise(() => {}), request, write.signal));
    await Promise.resolve();
    timeout.mockRestore();
    expect(limits).toEqual(Array(16).fill(5000));
    write.abort();
    expect(await Promise.all(sent)).toEqual(Array(20).fill(null));
    const answer = (bytes: number) => requests.send(async () => new Response(new Uint8Array(bytes)), request);
    expect((await answer(8 * 1024 * 1024))?.body).toHaveLength(8 * 1024 * 1024);
    expect(await answer(8 * 1024 * 1024 + 1)).toBeNull();
  });

  it("end at their time limit even when fetch ignores the signal", async () => {
    const requests = new Requests({ ...defaultRequestLimits, timeoutMs: 1 });
    expect(await requests.send(() => new Promise(() => {}), request)).toBeNull();
    expect([requests.sent, requests.failed]).toEqual([1, 1]);
  });

  it("end when their write is aborted, also requests that still wait", async () => {
    const requests = new Requests({ ...defaultRequestLimits, atOnce: 1 });
    const write = new AbortController();
    const sent = [1, 2].map(() => requests.send(() => new Promise(() => {}), request, write.signal));
    write.abort();
    expect(await Promise.all(sent)).toEqual([null, null]);
    expect(await requests.send(echo, request, write.signal)).toBeNull();
    expect(await requests.send(echo, request)).not.toBeNull();
  });

  it("fail when the answer has more bytes than the limit", async () => {
    const requests = new Requests({ ...defaultRequestLimits, bodyBytes: 10 });
    let cancelled = false;
    const endless = () =>
      new ReadableStream({
        pull: (controller) => controller.enqueue(new Uint8Array(4)),
        cancel: () => {
          cancelled = true;
        },
      });
    expect(await requests.send(async () => new Response(endless()), request)).toBeNull();
    expect(cancelled).toBe(true);
    expect((await requests.send(async () => new Response("0123456789"), request))?.body).toHaveLength(10);
  });
});

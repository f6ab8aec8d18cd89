// Source maps over HTTP: upload, deletion, check, and the stack traces of RUM (real user monitoring) errors, which are
// resolved with them (docs/reference/agent.md#source-maps).

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type RecordingGateway, startGateway } from "../../support/recording-gateway.ts";
import { type AgentProcess, type Sent, startAgent } from "../../support/running-agent.ts";
import { form, sourceMap, zip } from "../../support/source-map-zip.ts";

let gateway: RecordingGateway;
let agent: AgentProcess;

beforeAll(async () => {
  gateway = await startGateway();
  agent = await startAgent({
    config: `[http_api]\nrequest_rate_limit = 0\n[gateway]\nurls = ["${gateway.url}?token=t1"]\n[io]\nflush_interval = "20ms"\n`,
  });
});
afterAll(async () => {
  await agent.stop();
  await gateway.close();
});

const at = (query: Readonly<Record<string, string>>, path = "") =>
  `/v1/sourcemap${path}?${new URLSearchParams({ token: "t1", app_id: "app", ...query })}`;

async function ask(url: string, sent?: Sent) {
  const { status, headers, text } = await agent.send(url, sent);
  expect(status).toBe(200);
  return { type: headers["content-type"], text, ...JSON.parse(text) };
}

const stored = (platform: string, name: string) => path.join(agent.dataDir, "rum", platform, name);
const failed = (errorMsg: string) => JSON.stringify({ content: null, errorMsg, success: false });
const check = (stack: string, query: Readonly<Record<string, string>> = {}) =>
  ask(at({ error_stack: stack, ...query }, "/check"));

/** A source map of main.min.js: line 1 has mappings at columns 0 and 40, line 3 has one mapping. */
const mainMap = sourceMap(
  ["main.js"],
  [
    [
      [0, 0, 0, 0],
      [40, 0, 5, 6],
    ],
    [],
    [[10, 0, 8, 2]],
  ],
);

describe("the upload and delete interface", () => {
  it("stores, replaces and deletes an archive, and returns its path", async () => {
    const file = stored("web", "app-prod-1.0.zip");
    const query = { env: "prod", version: "1.0" };
    for (let round = 0; round < 2; round++) {
      const { text, type } = await ask(at(query), form(zip({ "a.js.map": mainMap })));
      expect(text).toBe(JSON.stringify({ content: `uploaded to [${file}]!`, errorMsg: "", success: true }));
      expect(type).toBe("application/json");
    }
    expect(readdirSync(path.dirname(file))).toEqual(["app-prod-1.0.zip"]);
    expect((await ask(at(query), { method: "DELETE" })).text).toBe(
      JSON.stringify({ content: `deleted [${file}]!`, errorMsg: "", success: true }),
    );
    expect(existsSync(file)).toBe(false);
    expect((await ask(at(query), { method: "DELETE" })).text).toBe(
      failed(`delete sourcemap file [${file}] failed: remove ${file}: no such file or directory`),
    );
  });

  it.each(["web", "miniapp", "android", "ios"])("has a folder for %s", async (platform) => {
    const { content } = await ask(at({ platform, app_id: "p" }), form(zip({ "a.js.map": mainMap })));
    expect(content).toBe(`uploaded to [${stored(platform, "p-none-none.zip")}]!`);
  });

  it("stores a file that is not a zip file, which the check then reports", async () => {
    expect((await ask(at({ app_id: "nozip" }), form(Buffer.from("no zip")))).success).toBe(true);
    const { success, errorMsg } = await check("@ http://h/a.js:1:2", { app_id: "nozip" });
    expect([success, errorMsg]).toEqual([false, expect.stringContaining("nozip-none-none.zip] cannot be read: ")]);
  });

  const wrongToken = "invalid token: token is missing or not correct";
  it.each([
    [{ token: "" }, {}, wrongToken],
    [{ token: "t2", app_id: "" }, {}, wrongToken],
    [{ app_id: "", platform: "tv" }, {}, "app_id not found"],
    [{ platform: "tv" }, {}, "platform [tv] not supported, please use web, miniapp, android or ios"],
    [{}, { headers: { "content-type": "text/plain" } }, "request Content-Type isn't multipart/form-data"],
    [{}, form(Buffer.from("x"), "other"), "http: no such file"],
  ])("refuses %j", async (query, sent, message) => {
    const whole: Sent = { ...form(zip({})), ...sent };
    expect((await ask(at(query), whole)).text).toBe(failed(message));
    // Parameters that are wrong for an upload are wrong for a deletion, too.
    if (Object.keys(query).length > 0) {
      expect((await ask(at(query), { method: "DELETE" })).text).toBe(failed(message));
    }
  });

  it("reports a file that cannot be created or deleted", async () => {
    const file = stored("web", "folder-none-none.zip");
    mkdirSync(file, { recursive: true });
    const put = await ask(at({ app_id: "folder" }), form(zip({})));
    expect([put.content, put.success]).toEqual([null, false]);
    expect(put.errorMsg).toMatch(new RegExp(`^create sourcemap file \\[${file}\\] failed: EISDIR: `));
    const deleted = await ask(at({ app_id: "folder" }), { method: "DELETE" });
    expect([deleted.content, deleted.success]).toEqual([null, false]);
    expect(deleted.errorMsg).toMatch(new RegExp(`^delete sourcemap file \\[${file}\\] failed: .*EISDIR`));
    expect(readdirSync(path.dirname(file)).filter((name) => name.endsWith(".part"))).toEqual([]);
  });

  it.runIf(process.platform === "linux")("says what cannot be written, and leaves no part of it on disk", async () => {
    const own = await startAgent({ config: '[gateway]\nurls = ["http://127.0.0.1:9?token=t1"]' });
    onTestFinished(() => own.stop());
    // Limits the size of files that the agent can write, so that its write fails as on a full disk.
    execFileSync("prlimit", ["--pid", String(own.pid), "--fsize=100000"]);
    const { status, text } = await own.send(at({}), form(Buffer.alloc(200_000)));
    const file = path.join(own.dataDir, "rum", "web", "app-none-none.zip");
    expect([status, JSON.parse(text)]).toEqual([
      200,
      {
        content: null,
        errorMsg: expect.stringMatching(new RegExp(`^write sourcemap file \\[${file}\\] failed: EFBIG: `)),
        success: false,
      },
    ]);
    expect(readdirSync(path.dirname(file))).toEqual([]);
    expect(JSON.parse((await own.send(at({}), form(Buffer.alloc(1000)))).text).success).toBe(true);
  });

  it("refuses a malformed form", async () => {
    const { success, content, errorMsg } = await ask(at({}), { ...form(zip({})), body: "not a form" });
    expect([success, content]).toEqual([false, null]);
    expect(errorMsg).not.toBe("");
  });

  it("refuses more than 100 MiB", async () => {
    const { text } = await ask(at({}), form(Buffer.alloc(100 * 1024 * 1024)));
    expect(text).toBe(failed("http: request body too large"));
  });

  it.each<Record<string, string>>([
    { app_id: "../../../../../evil" },
    { env: "..\\..\\evil" },
    { version: "/.." },
    { app_id: "a\0b" },
  ])("refuses to leave its folder: %j", async (query) => {
    for (const sent of [form(zip({})), { method: "DELETE" }]) {
      const { success, errorMsg } = await ask(at(query), sent);
      expect(success).toBe(false);
      expect(errorMsg).toMatch(/^invalid file name \[.*\], should not contain illegal char, such as {2}'\.\.\/, \/'$/s);
    }
    expect((await check("@ http://h/a.js:1:2", query)).errorMsg).toMatch(/^invalid file name /);
  });

  it("writes separators of a name as __", async () => {
    const { content } = await ask(at({ app_id: "a/b", env: "c\\d" }), form(zip({})));
    expect(content).toBe(`uploaded to [${stored("web", "a__b-c__d-none.zip")}]!`);
  });
});

describe("check", () => {
  beforeAll(async () => {
    const files = {
      "main.min.js.map": mainMap,
      "js/with space.js.map": sourceMap(["../src/a.ts"], [[[5, 0, 9, 3]]], "app/js"),
      "rooted.js.map": sourceMap(["./src/b.ts"], [[[0, 0, 0, 1]]], "webpack:///pack"),
      "sections.js.map": JSON.stringify({
        version: 3,
        sections: [{ offset: { line: 1, column: 0 }, map: JSON.parse(sourceMap(["s.js"], [[[0, 0, 4, 4]]])) }],
      }),
      "broken.js.map": "{",
      "old.js.map": '{"version":2,"sources":[],"names":[],"mappings":""}',
    };
    await ask(at({}), form(zip(files)));
  });

  it.each([
    ["at test @ http://localhost:8080/main.min.js:1:48", "at test @ main.js:6:6"],
    ["@ http://h/main.min.js?v=1#x:1:0 end", "@ main.js:1:0 end"],
    [
      "Error: x\n f @ http://h/main.min.js:1:40\n g @ /main.min.js:1:39",
      "Error: x\n f @ main.js:6:6\n g @ main.js:1:0",
    ],
    // Line 2 of the source map has no mapping, so the last mapping of line 1 is used.
    ["@ http://h/main.min.js:2:9", "@ main.js:6:6"],
    ["@ http://h/main.min.js:3:10", "@ main.js:9:2"],
    ["@ https://h/js/with%20space.js:1:7", "@ app/src/a.ts:10:3"],
    ["@ http://h/rooted.js:1:0", "@ webpack:///pack/src/b.ts:1:1"],
    ["@ http://h/sections.js:2:0", "@ s.js:5:4"],
  ])("resolves %j", async (stack, resolved) => {
    const { text, type } = await check(stack);
    expect(text).toBe(
      JSON.stringify({
        content: { error_stack: resolved, original_error_stack: stack },
        errorMsg: "",
        success: true,
      }),
    );
    expect(type).toBe("application/json;charset=utf-8");
  });

  const required = (frame: string, entry: string) =>
    `parse sourcemap for [${frame}] failed: sourcemap file [${entry}] is required`;
  it.each([
    ["@ http://h/a.js:1:2", required("http://h/a.js:1:2", "a.js.map")],
    ["@ http://h/broken.js:1:2", required("http://h/broken.js:1:2", "broken.js.map")],
    ["@ http://h/old.js:1:2", required("http://h/old.js:1:2", "old.js.map")],
    // If several frames of a stack cannot be resolved, only the last failure is reported, and the whole stack is
    // returned unchanged.
    ["@ http://h/a.js:1:2\n@ http://h/main.min.js:1:1\n@ http://h/b.js:3:4", required("http://h/b.js:3:4", "b.js.map")],
    [
      "@ http://h/main.min.js:9:1",
      "fetch original source information failed, make sure sourcemap file [main.min.js.map] is valid",
    ],
    [
      "@ http://h/js/with space.js:1:4",
      "fetch original source information failed, make sure sourcemap file [js/with space.js.map] is valid",
    ],
    ["@ http://[:1:2", expect.stringMatching(/^parse url failed, http:\/\/\[, ./)],
    ["@ http://h/%E0%A4:1:2", expect.stringMatching(/^parse url failed, http:\/\/h\/%E0%A4, ./)],
  ])("fails for %j and returns the stack unchanged", async (stack, message) => {
    const { content, errorMsg, success } = await check(stack);
    expect([success, errorMsg]).toEqual([false, message]);
    expect(content).toEqual({ error_stack: stack, original_error_stack: stack });
  });

  it("reports which parameter or source map file is missing", async () => {
    expect((await check("s", { app_id: "" })).errorMsg).toBe("app_id not found");
    expect((await check("")).errorMsg).toBe("error_stack not found");
    const file = stored("web", "nobody-none-none.zip");
    expect((await check("s", { app_id: "nobody", platform: "tv" })).errorMsg).toBe(
      `source map file [${file}] not exists`,
    );
  });

  it("needs no token, and uses a new upload at once", async () => {
    const url = `/v1/sourcemap/check?${new URLSearchParams({ app_id: "fresh", error_stack: "@ http://h/x.js:1:0" })}`;
    for (const line of [3, 7]) {
      await ask(at({ app_id: "fresh" }), form(zip({ "x.js.map": sourceMap(["x.ts"], [[[0, 0, line - 1, 0]]]) })));
      expect((await ask(url)).content.error_stack).toBe(`@ x.ts:${line}:0`);
    }
    await ask(at({ app_id: "fresh" }), { method: "DELETE" });
    expect((await ask(url)).success).toBe(false);
  });

  it("searches the archives of the miniapp first, then those of the web", async () => {
    expect((await check("@ http://h/main.min.js:1:0", { platform: "miniapp" })).content.error_stack).toBe(
      "@ main.js:1:0",
    );
    const own = zip({ "main.min.js.map": sourceMap(["own.js"], [[[0, 0, 0, 0]]]) });
    await ask(at({ platform: "miniapp" }), form(own));
    expect((await check("@ http://h/main.min.js:1:0", { platform: "miniapp" })).content.error_stack).toBe(
      "@ own.js:1:0",
    );
  });

  it("renames Java stacks by mapping.txt", async () => {
    const mapping = `# compiler: R8
com.example.Main -> a.a:
    int count -> a
    1:3:void open(int):10:12 -> a
    4:4:int com.example.Inlined.size():77:77 -> a
    4:4:void open(int):13 -> a
    void close() -> b
com.example.Failure -> a.b:
`;
    await ask(at({ platform: "android" }), form(zip({ "app-none-none/mapping.txt": mapping })));
    const stack = [
      'Exception in thread "main" a.b: gone',
      "\tat a.a.a(SourceFile:2)",
      "\tat a.a.a(SourceFile:4)",
      "\tat a.a.b(Unknown Source)",
      "\tat java.lang.Thread.run(Thread.java:1)",
      "Caused by: a.b",
    ].join("\n");
    expect((await check(stack, { platform: "android" })).content.error_stack.split("\n")).toEqual([
      'Exception in thread "main" com.example.Failure: gone',
      "\tat com.example.Main.open(Main.java:11)",
      "\tat com.example.Inlined.size(Inlined.java:77)",
      "\tat com.example.Main.open(Main.java:13)",
      "\tat com.example.Main.close(Main.java)",
      "\tat java.lang.Thread.run(Thread.java:1)",
      "Caused by: com.example.Failure",
    ]);
  });

  it("reports which tool is missing for native stacks", async () => {
    const native = await check("backtrace:\n  #00 pc 0001", { platform: "android" });
    expect([native.success, native.errorMsg]).toEqual([false, expect.stringContaining("the tool")]);
    const ios = await check("Main 0x1 0x0 + 1", { platform: "ios" });
    expect([ios.success, ios.errorMsg]).toEqual([false, expect.stringContaining("the tool [atosl] not found")]);
  });
});

const nothingResolved =
  "nothing of the error stack was resolved: it has no frame with a file, a line and a column, or no map changes one";

describe("stack frames in the format of browsers", () => {
  let all: AgentProcess;
  beforeAll(async () => {
    all = await startAgent({
      config: `[http_api]\nrequest_rate_limit = 0\n[gateway]\nurls = ["${gateway.url}?token=t1"]`,
    });
    await all.send(at({}), form(zip({ "main.min.js.map": mainMap })));
  });
  afterAll(() => all.stop());

  const url = "https://h:8080/main.min.js";
  it.each([
    // Stack frames in the format of Chrome, Edge and Node: columns count from 1, also in the resolved frames.
    ["Error: x", "Error: x"],
    [`    at f (${url}:1:49)`, "    at f (main.js:6:7)"],
    [`    at ${url}:1:49`, "    at main.js:6:7"],
    [`    at async f (${url}:1:41)`, "    at async f (main.js:6:7)"],
    [`    at async ${url}:1:41`, "    at async main.js:6:7"],
    [`    at new F (${url}:1:1)`, "    at new F (main.js:1:1)"],
    [`    at A.f [as g] (${url}:3:11)\r`, "    at A.f [as g] (main.js:9:3)\r"],
    [
      `    at eval (eval at f (${url}:1:49), <anonymous>:1:1)`,
      "    at eval (eval at f (main.js:6:7), <anonymous>:1:1)",
    ],
    ["    at Array.map (<anonymous>)", "    at Array.map (<anonymous>)"],
    ["    at async Promise.all (index 0)", "    at async Promise.all (index 0)"],
    ["    at node:internal/process/task_queues:95:5", "    at node:internal/process/task_queues:95:5"],
    ["    at f (chrome-extension://abc/x.js:1:2)", "    at f (chrome-extension://abc/x.js:1:2)"],
    // Stack frames in the format of Firefox and Safari.
    [`f@${url}:1:49`, "f@main.js:6:7"],
    [`@${url}:1:41`, "@main.js:6:7"],
    [`async*f@${url}:1:41`, "async*f@main.js:6:7"],
    [`f/<@${url}?v=@1:1:41`, "f/<@main.js:6:7"],
    [`global code@${url}:1:41`, "global code@main.js:6:7"],
    [`f@${url} line 5 > eval:1:1`, `f@${url} line 5 > eval:1:1`],
    ["map@[native code]", "map@[native code]"],
    // Stack frames in the format that older SDKs send.
    [`f @ ${url}:1:48`, "f @ main.js:6:6"],
  ])("are resolved: %j", async (frame, resolved) => {
    const stack = `TypeError: x is null\n${frame}\nend`;
    const { text } = await all.send(at({ error_stack: stack }, "/check"));
    const isResolved = resolved !== frame;
    expect(JSON.parse(text)).toEqual({
      content: { error_stack: `TypeError: x is null\n${resolved}\nend`, original_error_stack: stack },
      errorMsg: isResolved ? "" : nothingResolved,
      success: isResolved,
    });
  });

  it("are left unchanged when configured, and the answer reports that nothing was resolved", async () => {
    const own = await startAgent({
      config: `[gateway]\nurls = ["${gateway.url}?token=t1"]\n[rum]\nresolve_browser_frames = false`,
    });
    onTestFinished(() => own.stop());
    await own.send(at({}), form(zip({ "main.min.js.map": mainMap })));
    const stack = `TypeError: x is null\n    at n (${url}:1:39)`;
    const { text } = await own.send(at({ error_stack: stack }, "/check"));
    expect(JSON.parse(text)).toEqual({
      content: { error_stack: stack, original_error_stack: stack },
      errorMsg: nothingResolved,
      success: false,
    });
  });

  it("fail when one has no map, and the stack is returned unchanged", async () => {
    const stack = `    at f (${url}:1:49)\n    at g (https://h/other.js:7:8)`;
    const { text } = await all.send(at({ error_stack: stack }, "/check"));
    expect(JSON.parse(text)).toEqual({
      content: { error_stack: stack, original_error_stack: stack },
      errorMsg: "parse sourcemap for [https://h/other.js:7:8] failed: sourcemap file [other.js.map] is required",
      success: false,
    });
  });
});

describe("hostile archives", () => {
  const checked = async (content: Uint8Array) => {
    await ask(at({ app_id: "harm" }), form(content));
    return (await check("@ http://h/a.js:1:2", { app_id: "harm" })).errorMsg as string;
  };

  it.each(["../../../../../evil.js.map", "/etc/evil.js.map", "C:/evil.js.map", "a/../../evil.js.map"])(
    "with the entry %s are refused, and nothing is written outside",
    async (name) => {
      expect(await checked(zip({ [name]: mainMap, "a.js.map": mainMap }))).toMatch(/cannot be read: .*evil/);
      const everything = readdirSync(agent.dataDir, { recursive: true }) as string[];
      expect(everything.filter((file) => file.includes("evil.js"))).toEqual([]);
    },
  );

  it("with too many entries are refused", async () => {
    const files = Object.fromEntries(Array.from({ length: 20_001 }, (_, n) => [`${n}.js.map`, ""]));
    expect(await checked(zip(files))).toContain("more than 20000 entries");
  });

  it("with an entry that declares too large a size are refused", async () => {
    const content = Buffer.from(zip({ "a.js.map": mainMap }));
    const central = content.lastIndexOf("PK\x01\x02", undefined, "latin1");
    content.writeUInt32LE(300 * 1024 * 1024, central + 24);
    const { errorMsg } = await ask(at({ app_id: "harm" }), form(content));
    expect(errorMsg).toContain("is refused: a.js.map has more than 67108864 bytes");
  });

  it("with an entry larger than its declared size lose this entry", async () => {
    const content = Buffer.from(zip({ "a.js.map": Buffer.alloc(50 * 1024 * 1024) }));
    const central = content.lastIndexOf("PK\x01\x02", undefined, "latin1");
    content.writeUInt32LE(1000, central + 24);
    expect(await checked(content)).toContain("sourcemap file [a.js.map] is required");
    await expect.poll(() => agent.log()).toMatch(/source map a\.js\.map of .* is left out: .*bytes/);
  });
});

describe("RUM points", () => {
  const line = (measurement: string, more: string) => `${measurement},app_id=app,sdk_name=df_web_rum_sdk ${more} 1`;
  const write = async (body: string) => expect((await agent.send("/v1/write/rum", { body })).status).toBe(200);
  const arrived = async (mark: string) => {
    await expect.poll(() => gateway.lines().filter((each) => each.includes(mark)).length).toBe(1);
    return gateway.lines().find((each) => each.includes(mark))!;
  };

  it("of errors contain the resolved stack beside the original one", async () => {
    await write(line("error", 'error_stack="f @ http://h/main.min.js:1:48",mark="one"'));
    const sent = await arrived('mark="one"');
    expect(sent).toContain('error_stack="f @ http://h/main.min.js:1:48"');
    const base64 = /error_stack_source_base64="([^"]*)"/.exec(sent)?.[1];
    expect(Buffer.from(base64 ?? "", "base64").toString()).toBe("f @ main.js:6:6");
    const labels = 'app_id="app",sdk_name="df_web_rum_sdk",status="success",remark=""';
    expect(await agent.metric(`agent_rum_source_map_total{${labels}}`)).toBe(1);
  });

  it("without a map, or of other measurements, stay unchanged", async () => {
    await write(line("error", 'error_stack="f @ http://h/nomap.js:1:48",mark="two"'));
    await write(line("view", 'error_stack="f @ http://h/main.min.js:1:48",mark="three"'));
    for (const mark of ["two", "three"]) expect(await arrived(`mark="${mark}"`)).not.toContain("base64");
  });
});

describe("access and switches", () => {
  it.each([
    ["PUT", "/v1/sourcemap"],
    ["DELETE", "/v1/sourcemap"],
    ["GET", "/v1/sourcemap/check"],
  ])("%s %s refuses clients that are not local", async (method, url) => {
    expect((await agent.send(url, { method, headers: { "x-real-ip": "8.8.8.8" } })).status).toBe(403);
  });

  it("uploads need a gateway with a token, and every path needs [rum] enable", async () => {
    const bare = await startAgent();
    const { text } = await bare.send(at({}), form(zip({})));
    expect(text).toBe(failed("invalid token: gateway is not initialized"));
    expect((await bare.send(at({}), { method: "DELETE" })).text).toBe(text);
    await bare.stop();
    const tokenless = await startAgent({ config: '[gateway]\nurls = ["http://127.0.0.1:9"]' });
    expect((await tokenless.send(at({}), form(zip({})))).text).toBe(failed("invalid token: gateway token is not set"));
    await tokenless.stop();
    const off = await startAgent({ config: "[rum]\nenable = false" });
    for (const [method, url] of [
      ["PUT", at({})],
      ["DELETE", at({})],
      ["GET", at({}, "/check")],
      ["GET", "/v1/env_variable"],
    ]) {
      expect((await off.send(url, { method })).status).toBe(404);
    }
    await off.stop();
  });
});

describe("rules for RUM points", () => {
  it("accept only listed applications, and only valid points when configured", async () => {
    const strict = await startAgent({
      config: '[http_api]\nrum_app_id_white_list = ["good"]\n[rum]\ncheck_points = true',
    });
    const write = async (body: string) => {
      const { status, text } = await strict.send("/v1/write/rum", { body });
      return text === "" ? status : [status, JSON.parse(text)];
    };
    expect(await write("view,app_id=good v=1i")).toBe(200);
    expect(await write("view,app_id=good v=1i\nview,app_id=bad v=1i")).toEqual([
      403,
      { error_code: "agent.RUMApp_idNotInTheWhiteList" },
    ]);
    expect(await write("view v=1i")).toEqual([
      400,
      { error_code: "agent.badRequest", message: 'invalid key "app_id"' },
    ]);
    expect(await write("odd,app_id=good v=1i")).toEqual([
      400,
      { error_code: "agent.unknownRUMMeasurement", message: "unknown RUM measurement: odd" },
    ]);
    expect(await strict.output("rum")).toHaveLength(1);
    await strict.stop();
  });
});

// Agent, platform and points store together over HTTP. A query finds each point of its own workspace exactly once, and
// no point of another workspace. This stays true after the platform was killed.

import { expect, it } from "vitest";
import { millrace } from "../support/millrace.ts";
import { send } from "../support/running-agent.ts";
import { ask, folder, metric, platform, run, write } from "../support/running-platform.ts";

it("millrace start: points written to the agent are found through the agent's query API", async () => {
  const dataDir = folder();
  const args = ["--listen", "127.0.0.1:0", "--gateway-listen", "none", "--platform-listen", "127.0.0.1:0"];
  const { url, child } = await run({ command: "start", dataDir, args, service: ["agent"] });
  const now = new Date().toUTCString().replace(/^\w+, (\d+) (\w+) (\d+) (.*) GMT$/, "$1/$2/$3:$4 +0000");
  const body = [404, 200, 404].map(
    (code) => `nginx message="10.0.0.1 - - [${now}] \\"GET /a HTTP/1.1\\" ${code} 12 \\"-\\" \\"curl/8\\""`,
  );
  expect((await send(`${url}/v1/write/logging?source=nginx`, { body: body.join("\n") })).status).toBe(200);
  const counted = async () => {
    const { series } = await ask(url, "L::nginx:(count(*) AS n) [1h] BY status_code", "");
    return series.map(({ tags, values }) => [tags!.status_code, values[0]![1]]);
  };
  await expect.poll(counted).toEqual([
    ["200", 1],
    ["404", 2],
  ]);
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  expect(await ended).toBe(0);
});

it("SIGTERM during a query ends the query, and then the process normally", async () => {
  const { url, token, child } = await platform(folder());
  const now = Date.now();
  const lines = Array.from({ length: 20_000 }, (_, at) => `cpu v=${at}i ${(now - at) * 1e6}`);
  expect((await write(url, token, lines.join("\n"))).status).toBe(200);
  // The query computes 10,000 sums of 10,000 values each, so it takes long.
  const asked = ask(url, "moving_average(`M::cpu:(v) [1h] LIMIT 20000`, 10000)", token).catch(() => undefined);
  await expect.poll(() => metric(url, "platform_query_running")).toBe(1);
  const ended = new Promise((resolve) => child.once("exit", (code, signal) => resolve(code ?? signal)));
  child.kill("SIGTERM");
  expect(await ended).toBe(0);
  const answer = await asked;
  expect([undefined, "platform.queryCancelled"]).toContain(answer?.code);
});

it("millrace dql prints tables, JSON, the executed query, and mistakes", async () => {
  const dataDir = folder();
  const { url, token } = await platform(dataDir);
  await write(url, token, `cpu,host=h1 load=0.5,big=9007199254740993i\ncpu,host=h2 load=1`);
  const dql = (...args: string[]) => millrace(["dql", ...args, "--host", url.slice(7), "--data-dir", dataDir]);
  expect((await dql("M::cpu:(last(load)) [1h] BY host")).out).toMatch(
    /cpu {2}host=h1\ntime +last\(load\)\n\S+Z +0\.5\n\ncpu {2}host=h2\n/,
  );
  expect((await dql("M::cpu:(big) [1h]")).out).toContain("9007199254740993");
  expect((await dql("M::cpu:(max(load)) [1h]", "--explain")).out).toMatch(
    /^-- M::cpu.*\n.*-- run: .*\nSELECT .*max\(/s,
  );
  expect(JSON.parse((await dql("show_measurement()", "--json")).out).content[0].series[0].values).toEqual([["cpu"]]);
  const failed = await dql("M::cpu LIMIT -1");
  expect([failed.code, failed.err]).toEqual([1, "[agent.queryParseError] 1:14 parse error: unexpected: <op:'-'>\n"]);
  const nowhere = await millrace(["dql", "M::cpu", "--host", "127.0.0.1:1", "--token", "x"]);
  expect([nowhere.code, nowhere.err]).toEqual([1, expect.stringContaining("no platform answers at 127.0.0.1:1")]);
});

it("a token reads only its own workspace", async () => {
  const dataDir = folder();
  const { url, token, log } = await platform(dataDir, { PLATFORM_TOKENS: "token-of-b,token-of-c" });
  await write(url, token, "secret,host=a v=1");
  await write(url, "token-of-b", "open,host=b v=2");
  const foreign = async (query: string, members = {}) =>
    JSON.stringify((await ask(url, query, "token-of-b", members)).series);
  for (const query of [
    "M::secret [1d]",
    "M::re(`.*`) [1d]",
    "M::* [1d]",
    "M::(M::secret [1d]):(last(v))",
    "M::open {host IN (M::secret:(host) [1d])} [1d]",
    `M::"secret' OR '1'='1" [1d]`,
    "M::`secret; SELECT 1` [1d]",
    "show_measurement()",
    "show_tag_value(from=['secret'])",
    "show_field_key(from=['secret'])",
    "eval(A.v, A='M::secret:(last(v)) [1d]')",
    "M::open:(last(v)) {host = '\\' UNION SELECT * FROM keys --'} [1d]",
  ]) {
    expect(await foreign(query), query).not.toMatch(/secret|"a"|,1\]/);
  }
  expect(await foreign("M::open [1d]", { conditions: "1 = 1 OR host = 'a'", token })).not.toContain("secret");
  expect(await foreign("M::re(`.*`) [1d]")).toContain('"b"');
  for (const [given, code] of [
    ["", "platform.emptyToken"],
    ["guessed-token", "platform.invalidToken"],
  ] as const) {
    const { status, code: told } = await ask(url, "M::secret", given);
    expect([status, told]).toEqual([403, code]);
    expect((await write(url, given, "m v=1")).status).toBe(403);
  }
  expect(log()).not.toMatch(/guessed-token|token-of-b/);
});

it("a repeated batch is stored once, and acknowledged points survive kill -9", async () => {
  const dataDir = folder();
  const first = await platform(dataDir);
  let acknowledged = 0;
  for (let batch = 0; batch < 30; batch++) {
    const headers = { "x-pkg-id": `batch-${batch}` };
    const lines = Array.from(
      { length: 50 },
      (_, at) => `again,host=h number=${batch * 50 + at}i ${1_700_000_000_000_000_000n + BigInt(batch * 50 + at)}`,
    );
    for (const repeated of [false, true]) {
      const { status, text } = await write(first.url, first.token, lines.join("\n"), headers);
      expect([status, JSON.parse(text).content.repeated]).toEqual([200, repeated]);
    }
    acknowledged += lines.length;
  }
  await first.kill();
  const second = await platform(dataDir);
  const { series } = await ask(
    second.url,
    "M::again:(count(number), count_distinct(number)) [1700000000:1700000100]",
    second.token,
    { max_duration: "3y" },
  );
  expect(series[0]!.values[0]!.slice(1)).toEqual([acknowledged, acknowledged]);
});

it("returns 64-bit integers, values of mixed types and unusual names unchanged", async () => {
  const { url, token } = await platform(folder());
  const lines = [
    "kinds,host=h a=9223372036854775807i,b=18446744073709551615u,c=t 1700000000000000001",
    'kinds,host=h a="text",b=1.5,c=f 1700000000000000002',
    'kinds,host=h "drop table"="x",a=-1i,日本="語" 1700000000000000003'.replace('"drop table"', "drop\\ table"),
  ];
  expect((await send(`${url}/v1/write/logging?token=${token}`, { body: lines.join("\n") })).status).toBe(200);
  const { text } = await ask(url, "L::kinds [1700000000:1700000001]", token, { max_duration: "3y" });
  expect(text).toContain("9223372036854775807");
  expect(text).toContain("18446744073709551615");
  const { series } = await ask(url, "L::kinds:(a, c, `drop table`, 日本) [1700000000:1700000001]", token, {
    max_duration: "3y",
  });
  expect(series[0]!.values.map((row) => row.slice(1))).toEqual([
    [-1, null, "x", "語"],
    ["text", false, null, null],
    [Number(2n ** 63n - 1n), true, null, null],
  ]);
});

it.each([
  ["not JSON", 400, "platform.invalidJSON"],
  ["", 400, "platform.invalidJSON"],
  ['{"queries":[]}', 400, "platform.invalidRequest"],
  ['{"queries":[{"query":1}]}', 400, "platform.invalidJSON"],
  ['{"queries":[{"query":"M::"}]}', 400, "agent.queryParseError"],
])("the request %j is refused with %d %s", async (body, status, code) => {
  const { url, token } = await platform(folder());
  const answer = await send(`${url}/v1/query/raw`, { headers: { "x-token": token }, body });
  expect([answer.status, JSON.parse(answer.text).error_code]).toEqual([status, code]);
});

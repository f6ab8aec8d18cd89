// Workspaces are isolated: no query, request member, name, label, id or token reveals data of another workspace.

import { afterAll, beforeAll, expect, it } from "vitest";
import { send } from "../support/running-agent.ts";
import { ask, launch, metric, type Running, removeFolder, temporaryFolder } from "../support/running-platform.ts";

const own = "token-of-own";
/**
 * A string that is part of every point, tag, field and label of the second workspace. No answer to a client of the
 * first workspace may contain the string.
 */
const secret = "zx81secret";

let running: Running;

async function put(token: string, category: string, body: string, headers = {}) {
  const { status, text } = await send(`${running.url}/v1/write/${category}?token=${token}`, { body, headers });
  expect([status, text]).toEqual([200, expect.any(String)]);
  return JSON.parse(text).content as { points: number; repeated: boolean };
}

let dataDir: string;

beforeAll(async () => {
  dataDir = temporaryFolder();
  const env = { PLATFORM_TOKENS: `${own},token-of-third` };
  const args = ["--listen", "127.0.0.1:0"];
  running = await launch({ command: "platform", dataDir, args, service: ["platform"], env });
  const { token } = running;
  for (const category of [
    "metric",
    "logging",
    "object",
    "custom_object",
    "keyevent",
    "tracing",
    "rum",
    "security",
    "network",
  ])
    await put(
      token,
      category,
      `shared,name=${secret},host=${secret} ${secret}=1,v=4242424242i,message="${secret}"\n${secret} v=4242424242i`,
    );
  for (const category of ["metric", "logging", "object"])
    await put(own, category, 'shared,name=mine,host=mine v=1i,message="mine"');
  await send(`${running.url}/v1/object/labels?token=${token}`, {
    body: JSON.stringify({
      object_class: "shared",
      object_name: secret,
      key: "name",
      value: secret,
      labels: [secret, "x"],
    }),
  });
});

afterAll(async () => {
  await running.kill();
  removeFolder(dataDir);
});

const quotes = ["'", '"', "`", "\\'", "''", "\\", "\u0000", "--", ";", "%", "$1", "?", "{}", "/*"];

const queries: readonly string[] = [
  ...["M", "L", "O", "OH", "CO", "COH", "E", "UE", "T", "P", "R", "S", "N", "BL"].flatMap((namespace) => [
    `${namespace}::* [1d]`,
    `${namespace}::re(\`.*\`) [1d]`,
    `${namespace}::*:(count(*)) {1 = 1 OR host != 'x'} [1d]`,
  ]),
  "M::shared {host != 'mine'} [1d]",
  "M::shared {host IN (M::shared:(host) [1d])} [1d]",
  "M::shared {host NOT IN (M::shared:(host) {host = 'mine'} [1d])} [1d]",
  "M::(L::* [1d]):(last(message))",
  "L::(M::(O::* [1d])) [1d]",
  "eval(A.v + B.v, A='M::shared:(max(v)) [1d]', B='L::shared:(max(v)) [1d]')",
  "M::shared:(max(v)) {host = with_labels(object_class='shared', labels=['x'])} [1d]",
  "show_measurement()",
  "show_tag_key()",
  "show_tag_value()",
  "show_tag_value(keyin=re('.*'))",
  "show_field_key()",
  "show_object_class()",
  "show_object_label(class='shared')",
  "show_custom_object_class()",
  "show_logging_source()",
  "show_logging_field()",
  "show_network_source()",
  "show_workspaces()",
  "L('*')::* [1d]",
  "L('default')::* [1d]",
  ...quotes.flatMap((quote) => {
    const name = JSON.stringify(`${quote} UNION ALL SELECT * FROM (SHOW ALL TABLES) ${quote}`);
    return [
      `M::${name} [1d]`,
      `M::shared {host = ${name}} [1d]`,
      `M::shared {host = re(${name})} [1d]`,
      `M::shared {host = match(${name})} [1d]`,
      `L::shared {message = query_string(${name})} [1d]`,
      `M::shared:(last(v) AS ${name}) [1d] BY host`,
      `L(${name})::shared [1d]`,
      `show_tag_value(from=[${name}], keyin=[${name}])`,
    ];
  }),
  "M::`w_x.p_metric` [1d]",
  "M::shared:(`seq`, `recv`, `idx`, `c0`, `c1`, `ts`) [1d]",
  "M::shared:(`v FROM information_schema.tables --`) [1d]",
  "M::shared [1d] BY `host, (SELECT 1)`",
  "M::shared:(v) [1d] ORDER BY `(SELECT max(v) FROM p_metric)`",
];

it(`${queries.length} statements reveal nothing of another workspace`, async () => {
  for (const query of queries) {
    const { text, status } = await ask(running.url, query, own);
    expect(text, query).not.toMatch(/zx81secret|4242424242/);
    // The answer is a result (200) or reports a mistake in the query (400), but is never an error of the database.
    expect([200, 400], `${query}: ${text}`).toContain(status);
  }
});

it.each([
  { conditions: "1 = 1 OR host != 'mine'" },
  { conditions: "host IN (M::shared:(host) [1d])" },
  { conditions: "' OR 1=1 --" },
  { orderby: [{ "v; DROP SCHEMA x CASCADE": "asc" }] },
  { orderby: [{ "`(SELECT 1)`": "desc" }] },
  { search_after: ["' OR 1=1 --"] },
  { search_after: [0, 0, "L_0_' OR 1=1"] },
  { index_list: ["default", "*"], token: "x", workspace: "*", workspace_uuid: "*" },
  { limit: 100000, slimit: 10000, disable_slimit: true },
  { tz: "'; SELECT 1" },
])("members %j reveal nothing of another workspace", async (members) => {
  for (const query of ["M::shared [1d]", "L::shared [1d]"]) {
    const { text, status } = await ask(running.url, query, own, members);
    expect(text).not.toMatch(/zx81secret|4242424242/);
    expect([200, 400]).toContain(status);
  }
});

it("the same queries return the data to its owner, so the tests above can find a leak", async () => {
  const { text } = await ask(running.url, "M::re(`.*`) [1d]", running.token);
  expect(text).toMatch(/zx81secret/);
  expect((await ask(running.url, "show_object_label(class='shared')", running.token)).text).toMatch(/zx81secret/);
  expect((await ask(running.url, "M::shared [1d]", own)).text).toMatch(/mine/);
});

it("a token in the URL overrides a token in the body, which counts when there is no other", async () => {
  const body = (token: string) => JSON.stringify({ token, queries: [{ query: "M::shared [1d]" }] });
  const both = await send(`${running.url}/v1/query/raw?token=${own}`, { body: body(running.token) });
  expect(both.text).not.toMatch(/zx81secret/);
  const alone = await send(`${running.url}/v1/query/raw`, { body: body(running.token) });
  expect(alone.text).toMatch(/zx81secret/);
  for (const token of ["", " ", "' OR '1'='1", "token-of-own ", "token-of-ow", "TOKEN-OF-OWN", "__internal__", "*"]) {
    expect((await send(`${running.url}/v1/query/raw`, { body: body(token) })).status).toBe(403);
    const inUrl = await send(`${running.url}/v1/query/raw?token=${encodeURIComponent(token)}`, { body: body("") });
    expect(inUrl.status).toBe(403);
  }
  const twice = await send(`${running.url}/v1/query/raw?token=${own}&token=${running.token}`, { body: body("") });
  expect(twice.text).not.toMatch(/zx81secret/);
});

it("an id of a batch is known in its own workspace only", async () => {
  const id = { "x-pkg-id": "the same id" };
  for (const token of [running.token, own, "token-of-third"])
    expect(await put(token, "metric", "counted v=1i", id)).toEqual({ points: 1, repeated: false });
  expect(await put(own, "metric", "counted v=1i", id)).toEqual({ points: 0, repeated: true });
});

it("names with quotes can be written and queried, and break nothing", async () => {
  for (const [at, quote] of quotes.filter((each) => each !== "\u0000").entries()) {
    const name = `n${at} ${quote} DROP TABLE x`;
    const escaped = name.replaceAll("\\", "\\\\").replaceAll("'", "\\'");
    const point = [{ measurement: name, tags: { [`t${quote}`]: name }, fields: { [`f${quote}`]: at } }];
    await put("token-of-third", "metric", JSON.stringify(point), { "content-type": "application/json" });
    const { series, status } = await ask(running.url, `M::'${escaped}' [1d]`, "token-of-third");
    expect([name, status, series[0]?.values[0]?.slice(1)]).toEqual([name, 200, [at, name]]);
  }
  expect(await metric(running.url, 'platform_query_total{result="queryFailed"}')).toBe(0);
});

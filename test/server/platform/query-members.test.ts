// Every member of a query request over HTTP. The request goes to the platform and to an agent that forwards it, and
// both answers must be equal.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadMillrace } from "../../conformance/node-millrace.ts";
import { epoch, rows } from "../../lib/dql/sample-data.ts";
import { pointOf } from "../../lib/dql/sample-points.ts";
import { memberCases, refusedMembers } from "../support/query-member-cases.ts";
import { send } from "../support/running-agent.ts";
import {
  type Answered,
  addressOf,
  askAll,
  launch,
  type Running,
  removeFolder,
  temporaryFolder,
} from "../support/running-platform.ts";

let running: Running;
let dataDir: string;
let doors: readonly (readonly [string, string])[];

beforeAll(async () => {
  dataDir = temporaryFolder();
  const args = ["--listen", "127.0.0.1:0", "--gateway-listen", "none", "--platform-listen", "127.0.0.1:0"];
  running = await launch({ command: "start", dataDir, args, service: ["agent", "platform"] });
  const platform = addressOf("platform", running.out());
  doors = [
    ["platform", platform],
    ["agent", running.url],
  ];
  const mill = await loadMillrace();
  const write = async (category: string, body: string | Uint8Array) => {
    const { status, text } = await send(`${platform}/v1/write/${category}?token=${running.token}`, { body });
    expect([status, text]).toEqual([200, expect.any(String)]);
  };
  for (const category of ["metric", "logging"] as const) {
    await write(category, mill.encodePoints(rows[category]!.map(pointOf), "lp"));
  }
  const many = Array.from({ length: 30 }, (_, at) => `many,host=h${100 + at} v=${at} ${epoch}000000`);
  await write("metric", many.join("\n"));
  const markup = `web message="<b>GET</b> /a & \\"so on\\"",big=9007199254740993i ${epoch + 1000}000001`;
  await write("custom_object", markup);
});

afterAll(async () => {
  await running.kill();
  removeFolder(dataDir);
});

/**
 * Returns the JSON text of an answer with an empty `cost`. The cost is the time that the query took, so it differs from
 * query to query.
 */
function lasting(text: string): string {
  return text.replace(/"cost":"[^"]*"/g, '"cost":""');
}

async function ofBoth(body: unknown): Promise<Answered> {
  const answers: Answered[] = [];
  for (const [, url] of doors) answers.push(await askAll(url, url === running.url ? "" : running.token, body));
  // The agent's own error codes begin with "agent.", and the platform's own error codes begin with "platform.". Error
  // codes of the query language have no such prefix and are the same in the answers of both.
  const expected = answers[0]!.text.replace('{"error_code":"platform.', '{"error_code":"agent.');
  expect(lasting(answers[1]!.text)).toBe(lasting(expected));
  expect(answers[1]!.status).toBe(answers[0]!.status);
  return answers[0]!;
}

const range = { time_range: [epoch, epoch + 600_000] };

describe("members of a request", () => {
  it.each(memberCases.map((each) => [each.what, each] as const))("%s", async (_what, { query, member, gives }) => {
    const answered = await ofBoth({ queries: [{ query, ...range, ...member }] });
    expect([answered.status, answered.message]).toEqual([200, undefined]);
    gives(answered.content[0]!);
  });
});

describe("members that are refused", () => {
  it.each(refusedMembers.map((each) => [each.message, each] as const))(
    "%s",
    async (message, { query = "M::cpu", member, code = "agent.queryParseError" }) => {
      const answered = await ofBoth({ queries: [{ query, ...range, ...member }] });
      expect([answered.status, answered.code, answered.message]).toEqual([400, code, message]);
      expect(answered.content).toEqual([]);
    },
  );
});

it("echo_explain of the request applies to each query", async () => {
  const queries = [
    { query: "M::cpu:(count(*))", ...range },
    { query: "M::mem:(count(*))", ...range, echo_explain: false },
  ];
  const { content } = await ofBoth({ queries, echo_explain: true });
  expect(content.map(({ raw_query: text }) => String(text).split("\n")[0])).toEqual([
    "-- M::cpu:(count(*))",
    "-- M::mem:(count(*))",
  ]);
});

it("one failed query makes the whole request fail", async () => {
  const answered = await ofBoth({ queries: [{ query: "M::cpu", ...range }, { query: "M::cpu:(" }] });
  expect([answered.status, answered.content, answered.message]).toEqual([
    400,
    [],
    "1:9 parse error: unclosed left parenthesis",
  ]);
});

it("answers are in the order of the queries, even when some queries are asynchronous", async () => {
  const names = ["cpu", "mem", "http", "many"];
  const queries = names.map((name, at) => ({ query: `M::${name}:(count(*))`, ...range, is_async: at % 2 === 0 }));
  const { content } = await ofBoth({ queries });
  expect(content.map(({ series, is_running: running }) => [series![0]!.name, running])).toEqual(
    names.map((name) => [name, false]),
  );
});

it("search_after pages through all logs once, also with the key format of an older client", async () => {
  const pages: unknown[][] = [];
  let key: unknown[] = [];
  for (let page = 0; page < 5; page++) {
    const member = { limit: 3, search_after: page === 2 ? [key[0], key[2]] : key };
    const { content } = await ofBoth({ queries: [{ query: "L::re(`.*`):(message)", ...range, ...member }] });
    const { series, search_after: next } = content[0]!;
    pages.push((series![0]?.values ?? []).map(([time]) => (Number(time) - epoch) / 1000));
    key = next as unknown[];
  }
  expect(pages).toEqual([[290, 200, 200], [130, 80, 70], [20, 10], [], []]);
});

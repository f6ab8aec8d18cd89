// Hosts and processes: clients write them as points to the platform, and the Open API and queries list them.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { send } from "../../../support/running-agent.ts";
import { type Envelope, type RunningPlatform, startPlatform } from "../running-platform.ts";

let platform: RunningPlatform;
const now = Date.now();
const [minute, hour] = [60_000, 3_600_000];

beforeAll(async () => {
  platform = await startPlatform();
  await write([
    `HOST,name=web-02,host=web-02,os=linux,env=prod cpu_usage=50.5,load=2.5,num_cpu=8i,disk_total=9007199254740993i ${now - 26 * hour}`,
    `HOST,name=web-01,host=web-01,os=linux cpu_usage=90 ${now - hour}`,
    `HOST,name=web-01,host=web-01,os=linux,arch=x86_64,env=prod cpu_usage=12.5,num_cpu=4i,acme_ver="1.2.3",extra="x",is_docker=0i,message="{\\"host\\":{}}" ${now - minute}`,
    `HOST,name=web-02,host=web-02,os=linux,env=prod cpu_usage=50.5,load=2.5,num_cpu=8i,disk_total=9007199254740993i,labels="[\\"prod\\",\\"blue\\"]" ${now - 20 * minute}`,
    `HOST,name=Db-1,host=db1.internal,os=windows load=7i ${now - 2 * minute}`,
    `HOST,name=old,host=old,os=linux load=1 ${now - 30 * hour}`,
    `DATABASE,name=mysql load=1 ${now - minute}`,
    `host_processes,name=web-01_1,host=web-01,process_name=init,username=root cmdline="/sbin/init splash",pid=1i,rss=100i,cpu_usage=0.5,state_zombie=false ${now - minute}`,
    `host_processes,name=web-01_77,host=web-01,process_name=nginx,username=www cmdline="nginx: worker",pid=77i,rss=5000i,cpu_usage=9.5,state_zombie=true ${now - minute}`,
    `host_processes,name=web-02_9,host=web-02,process_name=nginx,username=www cmdline="nginx: master",pid=9i,rss=70i ${now - minute}`,
    `host_processes,name=web-02_8,host=web-02,process_name=gone,username=www cmdline="gone",pid=8i ${now - 11 * minute}`,
  ]);
});
afterAll(() => platform.stop());

const token = () => readFileSync(path.join(platform.dataDir, "platform", "token"), "utf8").trim();

async function write(lines: readonly string[]): Promise<void> {
  const body = lines.map((line) => `${line}000000\n`).join("");
  const answer = await send(`${platform.url}/v1/write/object?token=${token()}`, {
    method: "POST",
    headers: { "content-type": "text/plain" },
    body,
  });
  expect(answer.status, answer.text).toBe(200);
}

type Listed = Readonly<Record<string, unknown>>;

async function list(kind: "host" | "process", query: Record<string, string> = {}): Promise<Envelope> {
  return (await platform.call(`/object/${kind}/list?${new URLSearchParams(query)}`)).body;
}

const names = ({ content }: Envelope) => (content as Listed[]).map(({ name }) => name);

async function queried(query: string, range: readonly number[]): Promise<unknown[]> {
  const answer = await send(`${platform.url}/v1/query/raw?token=${token()}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ queries: [{ query, time_range: range }] }),
  });
  expect(answer.status, answer.text).toBe(200);
  const [{ series }] = (
    JSON.parse(answer.text) as { content: { series: { columns: string[]; values: unknown[][] }[] }[] }
  ).content;
  const [{ columns, values }] = series;
  return values.map((row) => row[columns.indexOf("name")]).sort();
}

describe("hosts", () => {
  it("are listed by name in their newest state, without hosts unseen for a day", async () => {
    const body = await list("host");
    expect(names(body)).toEqual(["Db-1", "web-01", "web-02"]);
    expect(body.pageInfo).toEqual({ count: 3, pageIndex: 1, pageSize: 50, totalCount: 3 });
    const { workspaceUUID } = ((await platform.call("/workspace/accesskey/list")).body.content as Listed[])[0];
    const id = `object_${createHash("md5").update(`${workspaceUUID}/HOST/web-01`).digest("hex")}`;
    expect((body.content as Listed[])[1]).toMatchObject({
      uuid: id,
      __docid: id,
      class: "HOST",
      name: "web-01",
      host: "web-01",
      os: "linux",
      arch: "x86_64",
      agent_ver: "1.2.3",
      cpu_usage: 12.5,
      num_cpu: 4,
      is_docker: 0,
      load: null,
      unicast_ip: null,
      message: '{"host":{}}',
      labels: [],
      tags: { env: "prod" },
      fields: { extra: "x" },
      last_update_time: now - minute,
      create_time: now - hour,
      status: "online",
    });
  });

  it("have all members in alphabetical order, with null where no point has a value", async () => {
    const [host] = (await list("host")).content as Listed[];
    expect(Object.keys(host)).toEqual(Object.keys(host).toSorted());
    for (const member of ["disk_total", "start_time", "logging_level", "zone_id", "region"])
      expect(host[member]).toBeNull();
    expect(host).toMatchObject({ load: 7, tags: {}, fields: {} });
  });

  it("keep all digits of a number, and report when they were first seen and whether they are online", async () => {
    const { text, body } = await platform.call("/object/host/list?search=web-02");
    expect(text).toContain('"disk_total":9007199254740993,');
    expect((body.content as Listed[])[0]).toMatchObject({
      create_time: now - 26 * hour,
      last_update_time: now - 20 * minute,
      status: "offline",
      labels: ["prod", "blue"],
    });
  });

  it("are the same as in a query over the same time", async () => {
    for (const start of [now - 24 * hour, now - 30 * minute, now - 90 * minute, now - 31 * hour]) {
      const listed = await list("host", { startTime: String(start), endTime: String(now) });
      expect(names(listed).toSorted()).toEqual(await queried("O::HOST:(name)", [start, now]));
      expect(listed.pageInfo!.totalCount).toBeGreaterThan(0);
    }
    const processes = await list("process", { startTime: String(now - hour), endTime: String(now) });
    expect(names(processes).toSorted()).toEqual(await queried("O::host_processes:(name)", [now - hour, now]));
  });

  it.each([
    [{ search: "WEB" }, ["web-01", "web-02"]],
    [{ search: "internal" }, ["Db-1"]],
    [{ search: "nothing" }, []],
    [{ search: "" }, ["Db-1", "web-01", "web-02"]],
    [{ includeOffline: "true" }, ["Db-1", "old", "web-01", "web-02"]],
    [{ filter: '{"os":"linux"}' }, ["web-01", "web-02"]],
    [{ filter: '{"os":["windows","plan9"]}' }, ["Db-1"]],
    [{ filter: '{"os":"linux","num_cpu":8}' }, ["web-02"]],
    [{ filter: '{"cpu_usage":90}' }, []],
    [{ filter: '{"agent_ver":"1.2.3"}' }, ["web-01"]],
    [{ filter: '{"name":["web-01","old"]}' }, ["web-01"]],
    [{ filter: '{"status":"offline"}' }, ["web-02"]],
    [{ filter: '{"status":["online","offline"]}', search: "w" }, ["web-01", "web-02"]],
    [{ filter: '{"status":"unknown"}' }, []],
    [{ labels: "blue, green" }, ["web-02"]],
    [{ labels: "green" }, []],
    [{ orderBy: "-name" }, ["web-02", "web-01", "Db-1"]],
    [{ orderBy: "cpu_usage" }, ["web-01", "web-02", "Db-1"]],
    [{ orderBy: "-cpu_usage" }, ["web-02", "web-01", "Db-1"]],
    [{ orderBy: "-load" }, ["Db-1", "web-02", "web-01"]],
    [{ orderBy: "-last_update_time" }, ["web-01", "Db-1", "web-02"]],
    [{ pageSize: "2", pageIndex: "2" }, ["web-02"]],
    [{ pageSize: "2", pageIndex: "3" }, []],
  ])("listed with %j are %j", async (query, expected) => {
    expect(names(await list("host", query as Record<string, string>))).toEqual(expected);
  });

  it("are returned with the count of all matches on every page", async () => {
    const { pageInfo } = await list("host", { pageSize: "2", pageIndex: "2", search: "w" });
    expect(pageInfo).toEqual({ count: 0, pageIndex: 2, pageSize: 2, totalCount: 2 });
  });

  it("are listed under the plural, too", async () => {
    expect(names((await platform.call("/object/hosts/list")).body)).toEqual(["Db-1", "web-01", "web-02"]);
  });

  it("do not include hosts of another workspace", async () => {
    const { body } = await platform.call("/object/host/list?includeOffline=true", { key: platform.otherKey });
    expect([body.content, body.pageInfo!.totalCount]).toEqual([[], 0]);
  });

  it.each([
    ["filter=x", "filter: expected object"],
    ["filter=[]", "filter: expected object"],
    ['filter={"nothing":1}', /^filter\.nothing: must be one of \[agent_ver, /],
    ['filter={"os":{"a":1}}', "filter.os: expected string, number, boolean or a list of them"],
    ["orderBy=os", /^orderBy: must be one of \[name, -name, /],
    ["pageSize=101", "pageSize: must be between 1 and 100"],
    ["startTime=-1", "startTime: must be between 0 and 8640000000000000"],
    ["startTime=2000&endTime=1000", "startTime: must not be after endTime"],
    ["includeOffline=1", "includeOffline: expected boolean"],
  ])("are not listed for the invalid query %s", async (query, message) => {
    const { body } = await platform.call(`/object/host/list?${query.replaceAll('"', "%22")}`);
    expect(body).toMatchObject({ code: 400, errorCode: "InvalidParameter" });
    if (typeof message === "string") expect(body.message).toBe(message);
    else expect(body.message).toMatch(message);
  });
});

describe("processes", () => {
  it("are listed with their numbers, without processes unseen for ten minutes", async () => {
    const body = await list("process");
    expect(names(body)).toEqual(["web-01_1", "web-01_77", "web-02_9"]);
    const [, nginx] = body.content as Listed[];
    expect(nginx).toMatchObject({
      class: "host_processes",
      host: "web-01",
      process_name: "nginx",
      username: "www",
      cmdline: "nginx: worker",
      pid: 77,
      rss: 5000,
      cpu_usage: 9.5,
      state_zombie: true,
      threads: null,
      tags: {},
      fields: {},
      create_time: now - minute,
    });
    expect(nginx).not.toHaveProperty("status");
  });

  it.each([
    [{ search: "SPLASH" }, ["web-01_1"]],
    [{ search: "nginx" }, ["web-01_77", "web-02_9"]],
    [{ host: "web-01" }, ["web-01_1", "web-01_77"]],
    [{ host: "web" }, []],
    [{ orderBy: "-rss" }, ["web-01_77", "web-01_1", "web-02_9"]],
    [{ orderBy: "pid" }, ["web-01_1", "web-02_9", "web-01_77"]],
    [{ filter: '{"state_zombie":true}' }, ["web-01_77"]],
    [{ startTime: String(now - hour) }, ["web-01_1", "web-01_77", "web-02_8", "web-02_9"]],
  ])("listed with %j are %j", async (query, expected) => {
    expect(names(await list("process", query as Record<string, string>))).toEqual(expected);
  });
});

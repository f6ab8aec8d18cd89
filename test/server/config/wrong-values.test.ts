// Gives each setting an impossible value, in a file and in the environment. The error must name the setting, the value
// and the values that are allowed.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { stringify } from "smol-toml";
import { expect, it, onTestFinished } from "vitest";
import { ConfigError, loadConfig } from "../../../server/config/load.ts";
import { type SettingName, schema } from "../../../server/config/schema.ts";
import type { Setting, SettingKind } from "../../../server/config/setting.ts";
import { millrace } from "../support/millrace.ts";

const settings = Object.entries(schema) as [SettingName, Setting][];

function mistakesOf(sources: Parameters<typeof loadConfig>[0]): string {
  try {
    loadConfig(sources);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return "";
}

/** Returns TOML with one setting. The dots in `key` separate the names of tables and the name of the setting. */
function tomlOf(key: string, value: unknown): string {
  const parts = key.split(".");
  return stringify(parts.reduceRight<unknown>((inner, part) => ({ [part]: inner }), value));
}

const inFile = (key: string, value: unknown) => mistakesOf({ file: { name: "agent.toml", text: tomlOf(key, value) } });
const inEnv = (name: string, text: string) => mistakesOf({ env: { [name]: text } });

interface Wrong {
  /**
   * A wrong value of the setting in the configuration file, and the text by which the error message quotes this value.
   */
  readonly file: readonly [value: unknown, got: string];
  /**
   * A wrong value of the setting in the environment, and the text by which the error message quotes this value.
   * Undefined when the setting accepts every string.
   */
  readonly env: readonly [text: string, got: string] | undefined;
  readonly form: string;
}

const byKind: { readonly [Kind in SettingKind]: Wrong } = {
  text: { file: ["a\u0007b", "something else|a\\\\u0007b"], env: ["a\u0007b", "something else|a\\\\u0007b"], form: "" },
  texts: {
    file: [["a\u0007b"], "something else|a\\\\u0007b"],
    env: ["a\u0007b", "something else|a\\\\u0007b"],
    form: "",
  },
  bool: { file: ["yes", '"yes"'], env: ["yes", '"yes"'], form: "true or false" },
  switch: { file: ["yes", '"yes"'], env: ["yes", '"yes"'], form: "true or false" },
  int: { file: ["64MB", '"64MB"'], env: ["64MB", '"64MB"'], form: "a whole number" },
  float: { file: ["2GB", '"2GB"'], env: ["2GB", '"2GB"'], form: "a number" },
  duration: { file: ["30", '"30"'], env: ["30", '"30"'], form: "a duration such as 30s" },
  table: {
    file: [["a"], "a list"],
    env: ["broken", '"broken"'],
    form: "a table of texts|pairs such as .*=.*, or a JSON object",
  },
  tables: { file: ["broken", '"broken"'], env: undefined, form: "a table of tables of texts" },
  entries: { file: ["broken", '"broken"'], env: undefined, form: "a list of tables" },
  lists: { file: ["broken", '"broken"'], env: ["broken", '"broken"'], form: "lists of texts" },
};

const named = (wanted: (setting: Setting) => boolean) =>
  settings.filter(([, setting]) => wanted(setting)).map(([name, setting]) => ({ name, setting }));

const formOf = ({ kind, choices }: Setting) =>
  new RegExp(` must (?:be|have) .*(?:${choices?.join(" or ") ?? byKind[kind].form})`);

it.each(named(() => true))("$name refuses an invalid value in a file", ({ name, setting }) => {
  const [value, got] = byKind[setting.kind].file;
  const message = inFile(name, value);
  expect(message).toMatch(new RegExp(`^agent\\.toml:\\d+: ${name.replaceAll(".", "\\.")}\\b`));
  expect(message).toMatch(formOf(setting));
  expect(message).toMatch(new RegExp(got));
});

it.each(named(({ kind, env, envPresence }) => env !== undefined && !envPresence && byKind[kind].env !== undefined))(
  "$name refuses an invalid value in the environment",
  ({ name, setting }) => {
    const [text, got] = byKind[setting.kind].env!;
    const message = inEnv(setting.env!, text);
    expect(message.startsWith(`${setting.env} (${name})`)).toBe(true);
    expect(message).toMatch(formOf(setting));
    expect(message).toMatch(new RegExp(got));
  },
);

it.each(named(({ kind }) => kind === "int" || kind === "float"))(
  "$name has a minimum and refuses a smaller value",
  ({ name, setting }) => {
    expect(setting.min).toBeGreaterThanOrEqual(0);
    expect(inFile(name, -1)).toContain(` of at least ${setting.min}, got -1`);
  },
);

it.each(named(({ kind }) => kind === "duration"))(
  "$name refuses a negative time and a time too long for a timer",
  ({ name, setting }) => {
    expect(inFile(name, "-1s")).toContain('a duration such as 30s, got the text "-1s"');
    const isCompared = setting.max === Number.MAX_SAFE_INTEGER;
    expect(inFile(name, "597h")).toMatch(isCompared ? /^$/ : / of at most 596h, got the text "597h"$/);
  },
);

it.each<[SettingName, unknown, string]>([
  ["platform.memory_limit", "lots", 'must be a size such as 512MB, above zero, got the text "lots"'],
  ["platform.memory_limit", "-1GB", 'must be a size such as 512MB, above zero, got the text "-1GB"'],
  ["platform.memory_limit", "0MB", 'must be a size such as 512MB, above zero, got the text "0MB"'],
  ["platform.memory_limit", "512", 'must be a size such as 512MB, above zero, got the text "512"'],
  ["platform.tokens", ["short"], ": each must be a token of 8 to 128 letters, digits, - and _, got something else"],
  ["platform.retention", { logs: "30d" }, ".logs is unknown; the keys are metric, "],
  ["platform.retention", { logging: "30" }, '.logging must be a time such as 30d or 12h, got the text "30"'],
  ["platform.retention", { logging: "-1h" }, '.logging must be a time such as 30d or 12h, got the text "-1h"'],
  ["pipeline.default_pipeline", { log: "a.p" }, ".log is unknown; the keys are metric, "],
  [
    "pipeline.default_pipeline",
    { logging: "a" },
    '.logging must be the name of a script, such as nginx.p, got the text "a"',
  ],
  ["pipeline.ipdb_attr", { city_file: "/a" }, ".city_file is unknown; the keys are geoip_file, isp_file, cidr_file"],
  [
    "prom_remote_write.header_tags",
    { "x y": "tag" },
    '."x y" must have the name of a header, such as X-Forwarded-For, as its key',
  ],
  [
    "http_api.public_apis",
    ["http://a/b"],
    ': each must be a path such as /v1/query/raw or /v1/*, got the text "http://a/b"',
  ],
  [
    "http_api.allowed_cors_origins",
    ["https://a/b"],
    ": each must be an origin such as https://example.com, without a path, got",
  ],
  [
    "http_api.allowed_hosts",
    ["http://a"],
    ": each must be a host name such as example.com, without http:// and path, got",
  ],
  [
    "http_api.rum_origin_ip_header",
    "X Real",
    'must be the name of a header, such as X-Forwarded-For, got the text "X Real"',
  ],
  ["http_api.processes", 100_000, "must be a whole number of at most 1024, got 100000"],
  ["http_api.workers", 100_000, "must be a whole number of at most 1024, got 100000"],
  ["gateway.uploads_in_flight", 15, "must be a whole number of at most 14, got 15"],
  ["gateway.wal.max_capacity_gb", -2, "must be a number of at least 0.001, got -2"],
  ["pipeline.http_request_host_denylist", ["http://a"], ": each must be a host name such as example.com"],
  ["dialtesting.disabled_internal_network_cidr_list", ["10.0.0.0/99"], ": each must be a network such as 10.0.0.0/8"],
])("refuses %s = %j", (name, value, reason) => {
  const message = inFile(name, value);
  expect(message).toContain(`${name}${reason.startsWith("must") ? " " : ""}${reason}`);
});

it.each([
  [
    "PLATFORM_RETENTION",
    "logging=1y",
    '(platform.retention.logging) must be a time such as 30d or 12h, got the text "1y"',
  ],
  ["PLATFORM_RETENTION", '{"logging":30}', "(platform.retention.logging) must be a text, got 30"],
  ["PLATFORM_RETENTION", '{"logs":"30d"}', "(platform.retention.logs) is unknown; the keys are metric, "],
  [
    "PLATFORM_RETENTION",
    '{"logging":',
    "must be pairs such as logging=30d,default=90d, or a JSON object of texts, got",
  ],
  ["ENV_GLOBAL_HOST_TAGS", "a=1,=2", 'must be pairs such as a=1,b=2, or a JSON object of texts, got the text "a=1,=2"'],
  ["ENV_HTTP_PUBLIC_IPS", "[1]", "(http_api.public_ips): each must be a text, got 1"],
  ["ENV_HTTP_PUBLIC_IPS", "[", "must be texts with commas between them, or a JSON list of texts, got the text"],
])("refuses %s=%s", (name, text, reason) => {
  expect(inEnv(name, text)).toContain(reason);
});

it("error messages shorten and escape the keys and values that they quote", () => {
  const long = `\u001b[31m\u0085${"x".repeat(50_000)}`;
  for (const message of [
    inFile("http_api.timeout", long),
    inFile("http_api.listen", long),
    inFile("http_api.public_ips", [long]),
    inFile("logging.level", long),
    inFile("platform.retention", { [long]: "1d" }),
    inFile("platform.retention", { logging: long }),
    inEnv("ENV_HTTP_TIMEOUT", long),
    inEnv("ENV_REQUEST_RATE_LIMIT", long),
    inEnv("ENV_GLOBAL_HOST_TAGS", long),
  ]) {
    expect(message).toContain("\\u001b[31m\\u0085xxx");
    expect(message.length).toBeLessThan(512);
    expect(message).not.toMatch(/\p{Cc}/u);
  }
});

it("config check and the services report the same mistakes, and no service starts", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "millrace-wrong-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, "wrong.toml");
  writeFileSync(file, '[platform]\nmemory_limit = "lots"\n');
  const inFile = `${file}:2: platform.memory_limit must be a size such as 512MB, above zero, got the text "lots"`;
  const inEnvironment =
    'PLATFORM_RETENTION (platform.retention.logging) must be a time such as 30d or 12h, got the text "x"';
  const env = { PLATFORM_RETENTION: "logging=x" };
  const checked = await millrace(["config", "check", file], "", undefined, env);
  expect([checked.code, checked.out]).toEqual([1, `error: ${inFile}\nerror: ${inEnvironment}\n`]);
  for (const service of ["agent", "gateway", "platform"]) {
    const started = await millrace([service, "--config", file, "--data-dir", folder], "", undefined, env);
    expect([service, started.code, started.err]).toEqual([service, 1, `${inFile}\n${inEnvironment}\n`]);
  }
});

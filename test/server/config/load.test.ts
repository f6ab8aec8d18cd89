import { describe, expect, it } from "vitest";
import { durationMs } from "../../../server/config/go-duration.ts";
import { ConfigError, loadConfig } from "../../../server/config/load.ts";
import { schema } from "../../../server/config/schema.ts";
import type { Setting } from "../../../server/config/setting.ts";

const load = (text: string, env = {}, flags = {}) => loadConfig({ file: { name: "agent.toml", text }, env, flags });

function mistakes(text: string): string {
  try {
    load(text);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return "";
}

const noDatagrams =
  "Node.js has no Unix datagram sockets; most senders also take a stream socket (unix://), see docs/inputs.md#unix-datagram-sockets";

describe("configuration", () => {
  it("pulls reference tables every five minutes and keeps them in memory, unless configured otherwise", () => {
    const names = ["refer_table_url", "refer_table_pull_interval", "use_sqlite", "sqlite_mem_mode"] as const;
    const settings = (text: string) => names.map((name) => load(text).config[`pipeline.${name}`]);
    expect(settings("")).toEqual(["", "5m", false, false]);
    const text = `[pipeline]\nrefer_table_url = "http://a/b"\nrefer_table_pull_interval = "10m"\nuse_sqlite = true\n`;
    expect(settings(text)).toEqual(["http://a/b", "10m", true, false]);
  });

  it("reads secrets from files, and only secrets", () => {
    const text =
      'data_dir = "file:kept"\n[gateway]\nurls = ["file:/run/url", "http://b"]\nhttp_proxy = "file:/run/proxy"';
    const readSecret = (path: string) => {
      if (path === "/run/missing") throw new Error("ENOENT");
      return `http://${path}\n`;
    };
    const { config } = loadConfig({ file: { name: "agent.toml", text }, readSecret });
    expect(config["gateway.urls"]).toEqual(["http:///run/url", "http://b"]);
    expect([config["gateway.http_proxy"], config.data_dir]).toEqual(["http:///run/proxy", "file:kept"]);
    const missing = { name: "agent.toml", text: '[gateway]\nurls = [\n  "http://b",\n  "file:/run/missing",\n]' };
    const reason = "gateway.urls: file:/run/missing cannot be read: ENOENT";
    expect(() => loadConfig({ file: missing, readSecret })).toThrow(new ConfigError(`agent.toml:4: ${reason}`));
    const env = { ENV_GATEWAY: "file:/run/missing" };
    expect(() => loadConfig({ file: missing, env, readSecret })).toThrow(new ConfigError(reason));
  });

  it("accepts only the listed choices of a setting", () => {
    expect(mistakes('[gateway]\nmode = "both"')).toBe(
      'agent.toml:2: gateway.mode must be failover or all, got the text "both"',
    );
  });

  it.each([
    [
      'listen = "foo"',
      'http_api.listen must be host:port, the host localhost or an IP address, or an absolute path, got the text "foo"',
    ],
    [
      'public_ips = ["10.0.0.0/8", "intranet"]',
      'http_api.public_ips: each must be a network such as 10.0.0.0/8, or an IP address, got the text "intranet"',
    ],
    ['listen_socket = "agent.sock"', 'http_api.listen_socket must be an absolute path, got the text "agent.sock"'],
  ])("reports an invalid text with its line: %s", (line, message) => {
    expect(mistakes(`[http_api]\n${line}`)).toBe(`agent.toml:2: ${message}`);
  });

  it.each([
    ["platform.store", "url", "ftp://u:word@h", "a URL such as clickhouse://user:password@host:8123/database", true],
    [
      "platform.store",
      "url",
      "clickhouse://h/a/b",
      "a URL such as clickhouse://user:password@host:8123/database",
      true,
    ],
    ["store", "url", "mysql://u:word@h", "a URL such as postgres://user:password@host/name, or memory:", true],
    ["pipeline", "refer_table_url", "tables.json", "a URL such as http://host:port", false],
    ["gateway", "tls_ca", "/does/not/exist.pem", "a file that can be read", false],
    ["gateway_api", "tls_ca", "/does/not/exist.pem", "a file that can be read", false],
    ["sinker.tags", "path", "/does/not/exist.yaml", "a file that can be read", false],
    ["logging", "level", "loud", "debug or info or warn or error", false],
  ])("refuses an invalid value of [%s] %s: %s", (table, key, value, form, isSecret) => {
    const got = isSecret ? "something else" : `the text ${JSON.stringify(value)}`;
    expect(mistakes(`[${table}]\n${key} = "${value}"`)).toBe(
      `agent.toml:2: ${table}.${key} must be ${form}, got ${got}`,
    );
  });

  it("accepts valid values of these settings without a warning", () => {
    const text = `[platform.store]
url = "clickhouses://u:p%2Fw@h:8443/name"
[store]
url = "postgres:///name?host=/run/postgresql"
[gateway]
tls_ca = ${JSON.stringify(import.meta.filename)}
[pipeline]
ipdb_type = ""
[sinker.file]
path = ${JSON.stringify(import.meta.filename)}`;
    expect(load(text).warnings).toEqual([]);
    expect(load('[store]\nurl = "memory:"').warnings).toEqual([]);
  });

  it("warns about a value that cannot be used, and reports what happens instead", () => {
    const text = '[pipeline]\nipdb_type = "iploc"\n[sinker.file]\npath = "/does/not/exist.json"';
    expect(load(text).warnings).toEqual([
      'agent.toml:2: pipeline.ipdb_type: "iploc" is none of country, geolite2, cidr, none; country is used',
      "agent.toml:4: sinker.file.path: there is no file /does/not/exist.json; until there is, the gateway refuses with 503",
    ]);
  });

  it("reports the warnings, also those about the environment, together with the mistakes", () => {
    const text = "[http_api]\nlistne = 1\nworkers = true";
    const failure = (() => {
      try {
        return load(text, { ENV_HTTP_TIMEOUT: "0s" });
      } catch (error) {
        return error;
      }
    })();
    expect(failure).toMatchObject({
      message: "agent.toml:3: http_api.workers must be a whole number, got true",
      warnings: [
        "agent.toml:2: unknown key http_api.listne, ignored; did you mean http_api.listen?",
        'ENV_HTTP_TIMEOUT: "0s" is no time above zero; 30s is used',
      ],
    });
  });

  it.each([
    ["htp_api", "http_api"],
    ["gateway.wall", "gateway.wal"],
    ["global_hosts_tags", "global_host_tags"],
    ["io.filter", "io.filters"],
  ])("suggests the table that was probably meant by [%s]", (wrong, meant) => {
    expect(load(`[${wrong}]\na = 1`).warnings).toEqual([
      `agent.toml:1: unknown key ${wrong}, ignored; did you mean ${meant}?`,
    ]);
  });

  it("shows no secret in a message, whether from the file, the environment or a secret file", () => {
    const message = "must be a URL such as http://host:port, got something else";
    expect(mistakes('[gateway]\nurls = ["http://a", "ftp://b?token=tkn_1"]\nhttp_proxy = "user:word@proxy"')).toBe(
      `agent.toml:2: gateway.urls: each ${message}\nagent.toml:3: gateway.http_proxy ${message}`,
    );
    expect(() => load("", { ENV_GATEWAY: "tkn_1" })).toThrow(
      new ConfigError(`ENV_GATEWAY (gateway.urls): each ${message}`),
    );
    const file = { name: "agent.toml", text: '[gateway]\nurls = ["file:/run/url"]' };
    expect(() => loadConfig({ file, readSecret: () => "tkn_1\n" })).toThrow(
      new ConfigError(`gateway.urls: each ${message}`),
    );
  });

  it("lets options override the environment, the environment the file, and the file the defaults", () => {
    const text = '[http_api]\nlisten = "0.0.0.0:1"\ntimeout = "5s"\nrequest_rate_limit = 5';
    const { config, warnings } = load(
      text,
      { ENV_HTTP_TIMEOUT: "6s", ENV_HTTP_LISTEN: "0.0.0.0:2" },
      { "http_api.listen": "0.0.0.0:3" },
    );
    expect(warnings).toEqual([]);
    expect(config["http_api.listen"]).toBe("0.0.0.0:3");
    expect(config["http_api.timeout"]).toBe("6s");
    expect(config["http_api.request_rate_limit"]).toBe(5);
    expect(config["http_api.request_rate_limit_burst"]).toBe(500);
  });

  it("reports the line of an unknown key, and suggests the key that was probably meant", () => {
    const { warnings } = load('# comment\n[http_api]\nlisten = "0.0.0.0:1"\n\nlistne = 1\n[nope]\na = 1');
    expect(warnings).toEqual([
      "agent.toml:5: unknown key http_api.listne, ignored; did you mean http_api.listen?",
      "agent.toml:6: unknown key nope, ignored",
    ]);
  });

  it("refuses wrong types with their lines, all at once", () => {
    expect(
      mistakes('[http_api]\nlisten = 9529\ntimeout = "soon"\n[gateway]\nurls = "http://x"\nmax_raw_body_size = 1'),
    ).toBe(
      [
        "agent.toml:2: http_api.listen must be a text, got 9529",
        'agent.toml:3: http_api.timeout must be a duration such as 30s, got the text "soon"',
        "agent.toml:5: gateway.urls must be a list of texts, got a text",
        "agent.toml:6: gateway.max_raw_body_size must be a whole number of at least 1024, got 1",
      ].join("\n"),
    );
  });

  it.each([
    ["[http_api]\nrequest_rate_limit = nan", "2: http_api.request_rate_limit must be a number, got NaN"],
    ["[http_api]\nrequest_rate_limit = -inf", "2: http_api.request_rate_limit must be a number, got -Infinity"],
    ["[gateway.wal]\nmax_capacity_gb = inf", "2: gateway.wal.max_capacity_gb must be a number, got Infinity"],
    ["[http_api]\nrequest_rate_limit = -1", "2: http_api.request_rate_limit must be a number of at least 0, got -1"],
    [
      "[http_api]\nrequest_rate_limit_burst = -5",
      "2: http_api.request_rate_limit_burst must be a whole number of at least 0, got -5",
    ],
  ])("refuses an impossible number: %s", (text, message) => {
    expect(mistakes(text)).toBe(`agent.toml:${message}`);
  });

  it("refuses invalid values from the environment and the command line, all at once", () => {
    const env = { ENV_REQUEST_RATE_LIMIT: "Infinity", ENV_GATEWAY_WAL_CAPACITY: "1e999" };
    expect(() => load("", env, { "http_api.listen": "foo", "gateway_api.listen": "none" })).toThrow(
      new ConfigError(
        [
          "ENV_REQUEST_RATE_LIMIT (http_api.request_rate_limit) must be a number, got Infinity",
          "ENV_GATEWAY_WAL_CAPACITY (gateway.wal.max_capacity_gb) must be a number, got Infinity",
          'http_api.listen must be host:port, the host localhost or an IP address, or an absolute path, got the text "foo"',
        ].join("\n"),
      ),
    );
  });

  it("warns about a time of zero and reports the value that is used instead", () => {
    const text = '[http_api]\ntimeout = "0s"\n[io]\nflush_interval = "0m"\n[gateway]\nretry_delay = "5s"';
    const { config, warnings } = load(text, { ENV_HTTP_TIMEOUT: "0", ENV_GATEWAY_RETRY_DELAY: "0s" });
    expect(warnings).toEqual([
      'agent.toml:2: http_api.timeout: "0s" is no time above zero; 30s is used',
      'agent.toml:4: io.flush_interval: "0m" is no time above zero; 1s is used',
      'ENV_HTTP_TIMEOUT: "0" is no time above zero; 30s is used',
      'ENV_GATEWAY_RETRY_DELAY: "0s" is no time above zero; 5s is used',
    ]);
    const used = [config["http_api.timeout"], config["io.flush_interval"], config["gateway.retry_delay"]];
    expect(used).toEqual(["30s", "1s", "5s"]);
  });

  it("has a default above zero for every setting that is a duration", () => {
    for (const [name, setting] of Object.entries(schema) as [string, Setting][]) {
      if (setting.kind === "duration") expect(durationMs(setting.default as string, -1), name).toBeGreaterThan(0);
    }
  });

  it.each([
    ['[global_host_tags]\nb = "x"\na = 1', ["3: global_host_tags.a must be a text, got 1"]],
    ["global_host_tags = { b = 'x', a = true }", ["1: global_host_tags.a must be a text, got true"]],
    [
      "[io.filters]\nlogging = 'x'\nmetric = ['y']\nobject = ['z', 5]",
      [
        '2: io.filters.logging must be a list of texts, got the text "x"',
        "4: io.filters.object: each must be a text, got 5",
      ],
    ],
    [
      "[rum.env_variable]\nb = 3\n[rum.env_variable.app]\nx = 'y'\nz = ['y']",
      ["2: rum.env_variable.b must be a table of texts, got 3", "5: rum.env_variable.app.z must be a text, got a list"],
    ],
    ["global_host_tags = 'a=1'", ['1: global_host_tags must be a table of texts, got the text "a=1"']],
    ["[http_api]\npublic_ips = ['10.0.0.0/8', 7]", ["2: http_api.public_ips: each must be a text, got 7"]],
    ["[gateway]\nurls = ['http://a', 7]", ["2: gateway.urls: each must be a text, got a number"]],
    ["[inputs]\ntail = 1", ["2: inputs.tail must be a list of tables, got 1"]],
    ["[inputs.tail]\nfiles = ['/a']", ["1: inputs.tail must be a list of tables, got a table"]],
    ["[inputs]\ntail = [{ files = ['/a'] }, 5]", ["2: inputs.tail[1] must be a table, got 5"]],
    ["[[inputs.tail]]\nsource = 'a'", ["1: inputs.tail[0].files must name at least one file"]],
    ["[[inputs.syslog]]\nsource = 'a'", ["1: inputs.syslog[0].listen must be an address such as udp://0.0.0.0:514"]],
    [
      "[[inputs.syslog]]\nlisten = 'udp://0.0.0.0:1'\ntls_cert = '/etc/hostname'\n[[inputs.syslog]]\nlisten = 'udp://0.0.0.0:1'",
      [
        "2: inputs.syslog[0].listen must be tls://... with TLS files",
        "5: inputs.syslog[1].listen is the address of another entry, too",
      ],
    ],
    [
      "[[inputs.syslog]]\nlisten = 'udp://0.0.0.0:1'\ntimezone = 'Nowhere'",
      ['3: inputs.syslog[0].timezone must be a time zone such as Europe/Berlin or +02:00, got the text "Nowhere"'],
    ],
    ["[[inputs.syslog]]\nlisten = 'tls://0.0.0.0:1'", ["1: inputs.syslog[0]: tls:// needs tls_cert and tls_key"]],
    ...["unixgram:///dev/log", "unix-dgram:///dev/log"].map((listen): [string, string[]] => [
      `[[inputs.syslog]]\nlisten = '${listen}'`,
      [
        "2: inputs.syslog[0].listen must be an address such as udp://0.0.0.0:514, tcp://[::]:601, tls://0.0.0.0:6514 or " +
          `unix:///run/millrace/syslog, got the text "${listen}"; ${noDatagrams}`,
      ],
    ]),
    [
      "[inputs.statsd]\nlisten = ['unixgram:///run/statsd']",
      [
        "2: inputs.statsd.listen: each must be an address such as udp://127.0.0.1:8125, tcp://[::]:8125 or " +
          `unix:///run/millrace/statsd, got the text "unixgram:///run/statsd"; ${noDatagrams}`,
      ],
    ],
    ...["514", "udp://host:514", "udp:///run/log", "unix://0.0.0.0:514", "http://0.0.0.0:1"].map(
      (listen): [string, string[]] => [
        `[[inputs.syslog]]\nlisten = '${listen}'`,
        [
          "2: inputs.syslog[0].listen must be an address such as udp://0.0.0.0:514, tcp://[::]:601, tls://0.0.0.0:6514 or " +
            `unix:///run/millrace/syslog, got the text "${listen}"`,
        ],
      ],
    ),
    [
      "[[inputs.tail]]\nfiles = ['/a']\n[[inputs.tail]]\n# below\nfiles = ['a.log']",
      [
        "5: inputs.tail[1].files: each must be an absolute path, or a pattern of paths such as /var/log/*.log, " +
          'got the text "a.log"',
      ],
    ],
    [
      "[[inputs.tail]]\nfiles = ['/a']\nmax_line_bytes = 1\nfrom = 'middle'\n[inputs.tail.tags]\nteam = 5",
      [
        '4: inputs.tail[0].from must be end or start, got the text "middle"',
        "6: inputs.tail[0].tags.team must be a text, got 5",
        "3: inputs.tail[0].max_line_bytes must be a whole number of at least 1024, got 1",
      ],
    ],
    [
      "[[inputs.tail]]\nfiles = ['/a[z-a]']\n[[inputs.tail]]\nfiles = ['/a']\nmultiline_start = '('",
      [
        "2: inputs.tail[0].files: each must be an absolute path, or a pattern of paths such as /var/log/*.log, " +
          'got the text "/a[z-a]"',
        '5: inputs.tail[1].multiline_start must be a regular expression (RE2), got the text "("',
      ],
    ],
  ])("reports a wrong entry with its line and key: %j", (text, messages) => {
    expect(mistakes(text)).toBe(messages.map((message) => `agent.toml:${message}`).join("\n"));
  });

  it("fills each entry of an array of tables with defaults, and warns about unknown keys", () => {
    const text = `[[inputs.tail]]
files = ["/a"]
fiels = ["/b"]
multiline_timeout = "0s"
[inputs.tail.tags]
team = "x"
[[inputs.tail]]
files = ["/c", "/d"]
poll = true
[[inputs.tial]]
files = ["/e"]`;
    const { config, warnings } = load(text);
    const usual = {
      exclude: [],
      source: "default",
      from: "end",
      tags: {},
      multiline_start: "",
      multiline_timeout: "5s",
      max_line_bytes: 262_144,
      encoding: "utf-8",
      format: "text",
      poll: false,
    };
    expect(config["inputs.tail"]).toEqual([
      { ...usual, files: ["/a"], tags: { team: "x" } },
      { ...usual, files: ["/c", "/d"], poll: true },
    ]);
    expect(warnings).toEqual([
      "agent.toml:3: unknown key inputs.tail.fiels, ignored; did you mean files?",
      'agent.toml:4: inputs.tail.multiline_timeout: "0s" is no time above zero; 5s is used',
      "agent.toml:10: unknown key inputs.tial, ignored; did you mean inputs.tail?",
    ]);
    expect(load("").config["inputs.tail"]).toEqual([]);
  });

  it("reports line and column of a syntax error", () => {
    expect(mistakes("[http_api]\nlisten = = 1\n")).toMatch(/^agent\.toml:2:\d+: /);
  });

  it("merges tags of the environment over those of the file, and reads lists and switches", () => {
    const { config } = load('[global_host_tags]\na = "1"\nb = "2"', {
      ENV_GLOBAL_HOST_TAGS: "b=3, c=4=5,",
      ENV_GATEWAY: "http://a, http://b",
      ENV_DISABLE_404PAGE: "no",
    });
    expect(config.global_host_tags).toEqual({ a: "1", b: "3", c: "4=5" });
    expect(config["gateway.urls"]).toEqual(["http://a", "http://b"]);
    expect(config["http_api.disable_404page"]).toBe(true);
  });

  it("reads a table of the environment as pairs or as a JSON object", () => {
    const retention = (text: string) => load("", { PLATFORM_RETENTION: text }).config["platform.retention"];
    expect(retention("logging=30d, default = 90d")).toEqual({ logging: "30d", default: "90d" });
    expect(retention('{"logging":"1s"}')).toEqual({ logging: "1s" });
  });
});

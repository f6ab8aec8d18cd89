// Runs the examples of every `--help` in a shell. They run as printed, except that paths, hosts and ports are those of
// a test agent and platform. Some examples start a service or watch files and never end; the test stops them after
// their expected output.

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import * as pipelineUsages from "../../../server/cli/usage/pipeline.ts";
import * as platformUsages from "../../../server/cli/usage/platform.ts";
import * as serviceUsages from "../../../server/cli/usage/services.ts";
import * as toolUsages from "../../../server/cli/usage/tools.ts";
import { usage } from "../../../server/cli/usage/usage.ts";
import { makeCertificates } from "../support/certificates.ts";
import { type AgentProcess, program, startAgent } from "../support/running-agent.ts";
import { launch, type Running } from "../support/running-platform.ts";

const usages = { usage, ...serviceUsages, ...toolUsages, ...pipelineUsages, ...platformUsages };
const folder = mkdtempSync(path.join(tmpdir(), "millrace-help-"));
const lib = path.join(folder, "lib");
let platform: Running;
let agent: AgentProcess;
/**
 * An agent with TLS, whose certificate is signed by a private authority. The file ca.pem contains the
 * authority's certificate.
 */
let secure: AgentProcess;
let key = "";
let dashboard = "";

const accessLine = '10.0.0.1 - - [21/Nov/2025:10:00:00 +0000] "GET /a HTTP/1.1" 200 12 "-" "curl/8"\n';
const files: Readonly<Record<string, string>> = {
  "access.log": accessLine.repeat(3),
  "cpu.p": "add_key(x, 1)\n",
  "web.p": 'grok(_, "%{HTTPD_COMBINEDLOG}")\n',
  "logstash/patterns/ecs-v1/httpd": readFileSync("test/lib/grok/logstash-core/ecs-v1.grok", "utf8"),
  "points.lp": `cpu,host=a usage_total=1.5 ${Date.now()}\ncpu,host=b usage_total=2 ${Date.now()}\n`,
  "pipeline/any.p": "add_key(x, 1)\n",
  "pipeline/any.test.yaml": "tests:\n  - name: adds\n    input: a\n    expect: { fields: { x: 1 } }\n",
  "sinker.json": '{"strict":false,"rules":[{"rules":["*"],"url":"http://127.0.0.1:9/?token=tkn_0123456789abcdef"}]}',
  "tags.yaml": "default:\n  globalTags:\n    - tagKey: host\n",
  "rules.json": '{"metric":["{ host = \\"a\\" }"]}',
  "recorded/metric.lp": "cpu,host=a usage_total=1 1700000000000000000\n",
  "millrace-data/output/logging.lp": `nginx message="a",status_code=200i ${Date.now()}000000\n`,
};

beforeAll(async () => {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  }
  for (const name of ["nginx.p", "nginx.test.yaml"]) {
    cpSync(path.join("server/pipelines/logging", name), path.join(folder, name));
  }
  mkdirSync(path.join(folder, "bin"));
  writeFileSync(path.join(folder, "bin/millrace"), `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`);
  chmodSync(path.join(folder, "bin/millrace"), 0o755);
  platform = await launch({
    command: "platform",
    dataDir: path.join(folder, "millrace-data"),
    args: ["--listen", "127.0.0.1:0"],
    service: ["platform"],
  });
  const making = ["key", "create", "--workspace", "help", "--data-dir", path.join(folder, "millrace-data")];
  const made = execFileSync(process.execPath, [program, ...making], { encoding: "utf8" });
  const openApi = `[http_api.open_api]\nurl = "${platform.url}"\nkey = "${made.trim().split("\n").at(-1)}"\n`;
  agent = await startAgent({ config: `[gateway]\nurls = ["${platform.url}?token=${platform.token}"]\n${openApi}` });
  await agent.send("/v1/write/metric", { body: files["points.lp"]! });
  const certificates = makeCertificates();
  const { key: privkey, cert } = certificates.files;
  secure = await startAgent({ config: `[http_api.tls]\ncert = "${cert}"\nprivkey = "${privkey}"` });
  cpSync(certificates.authority, path.join(folder, "ca.pem"));
  certificates.remove();
  cpSync(path.join(folder, "millrace-data/platform/token"), path.join(lib, "platform/token"));
});

afterAll(async () => {
  await agent.stop();
  await secure.stop();
  await platform.kill();
  rmSync(folder, { recursive: true, force: true });
});

interface Example {
  readonly command: string;
  /**
   * `typed`: the lines that a user types at the prompt of the command. `answered`: the lines that the command prints in
   * reply to them.
   */
  readonly typed: readonly string[];
  readonly answered: readonly string[];
}

/** Returns the examples in a help text. A line that begins with `>` is typed at a prompt. */
function examplesOf(text: string): Example[] {
  const lines = /\nExamples:\n((?: {2}.*\n)+)/.exec(text)?.[1]?.split("\n") ?? [];
  const found: { command: string; typed: string[]; answered: string[] }[] = [];
  for (const line of lines) {
    if (line.startsWith("  > ")) found.at(-1)!.typed.push(line.slice(4));
    else if (line.startsWith("    ")) found.at(-1)!.answered.push(line.trim());
    else if (line !== "") found.push({ command: line.slice(2), typed: [], answered: [] });
  }
  return found;
}

/** Replaces the paths and hosts in a command by the paths and hosts of the test. */
function here(command: string): string {
  const [at, store] = [new URL(agent.url).host, new URL(platform.url).host];
  return command
    .replaceAll("/var/log/nginx/access.log", "access.log")
    .replaceAll("/var/lib/millrace", lib)
    .replace(/--listen \S+/, "--listen 127.0.0.1:0")
    .replace("'http://gateway:9528?token=tkn_...'", `'${platform.url}?token=${platform.token}'`)
    .replace("localhost:9527", store)
    .replace("http://localhost:9529", agent.url)
    .replace("https://10.0.0.7:9529", secure.url.replace("localhost", "127.0.0.1"))
    .replace(/10\.0\.0\.7:9529/, at)
    .replace(/^millrace monitor(?! --to)/, `millrace monitor --to ${at}`)
    .replace(/^millrace dql/, `millrace dql --host ${store}`)
    .replace(/^millrace dashboard/, `millrace dashboard --to ${at}`)
    .replace(/wsak_[0-9a-f]+/, key)
    .replace(/dsbd_[0-9a-f]+/, dashboard)
    .replace("--seconds 10", "--seconds 0.1")
    .replace("bench nginx.p", "bench nginx.p --seconds 0.1");
}

/**
 * Patterns of the commands that run until they are stopped. For each, a pattern of the output after which the test
 * stops the command.
 */
const goesOn: readonly (readonly [command: RegExp, said: RegExp])[] = [
  [
    /\bmillrace (?:start|agent|gateway|platform)(?! --stdin| check| explain| repair| backup| restore| export)\b/,
    /listening on /,
  ],
  [/ --watch$/, /Waiting for changes/],
  [/^millrace monitor(?!.* --once)/, /^MILLRACE /],
  [/^millrace tail(?!.* --once)/, /client_ip=10\.0\.0\.1/],
];

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

function run({ command, typed }: Example): Promise<Ended> {
  const until = goesOn.find(([pattern]) => pattern.test(command))?.[1];
  const text = here(command);
  const child: ChildProcess = spawn("bash", ["-c", until === undefined ? `set -o pipefail; ${text}` : withExec(text)], {
    cwd: folder,
    env: {
      ...process.env,
      PATH: `${path.join(folder, "bin")}:${process.env.PATH}`,
      ENV_HTTP_LISTEN: "127.0.0.1:0",
      GW_BIND: "127.0.0.1:0",
      PLATFORM_LISTEN: "127.0.0.1:0",
      // A command that starts a service gets a new data folder, because running services of the test use the data
      // folder of the other commands.
      ...(until === undefined ? {} : { ENV_DATA_DIR: mkdtempSync(path.join(folder, "data-")) }),
    },
  });
  let out = "";
  let err = "";
  let isTold = false;
  child.stdout!.on("data", (chunk) => {
    out += chunk;
    // The signal is sent only once, because a second signal would end the command without an orderly stop.
    if (until?.test(out) && !isTold) {
      isTold = true;
      child.kill("SIGTERM");
    }
  });
  child.stderr!.on("data", (chunk) => {
    err += chunk;
  });
  child.stdin!.on("error", () => {});
  child.stdin!.end(typed.map((line) => `${line}\n`).join(""));
  onTestFinished(() => void child.kill("SIGKILL"));
  return new Promise((resolve) =>
    // A command that watches files does not handle the signal, so it ends by the signal and has no exit code.
    child.on("close", (code, signal) =>
      resolve({ code: signal === "SIGTERM" && / --watch$/.test(command) ? 0 : code, out, err }),
    ),
  );
}

/** Puts `exec` before a command, so that the shell becomes the command and the signal reaches the command itself. */
const withExec = (text: string) => text.replace(/^((?:\w+=(?:"[^"]*"|\S+) )*)/, "env $1").replace(/^/, "exec ");

const all = Object.entries(usages).flatMap(([name, text]) =>
  typeof text === "string" ? examplesOf(text).map((example) => [name, example.command, example] as const) : [],
);

it("the help of every command contains examples", () => {
  const commands = new Set(all.map(([name]) => name));
  expect([...commands].sort()).toEqual(Object.keys(usages).sort());
  expect(all.length).toBeGreaterThan(50);
});

it.each(all)("%s: %s", async (_name, _command, example) => {
  if (example.command.includes("key revoke")) {
    const { out } = await run({ command: "millrace key ls", typed: [], answered: [] });
    // The first listed key is the agent's own key. The examples of `millrace dashboard` still need this key, so the
    // example of `millrace key revoke` revokes the last listed key.
    key = out.match(/wsak_[0-9a-f]+/g)!.at(-1)!;
  }
  if (example.command.includes("dashboard export")) {
    const { out } = await run({ command: "millrace dashboard list", typed: [], answered: [] });
    dashboard = /dsbd_[0-9a-f]+/.exec(out)![0];
  }
  if (example.command.startsWith("millrace config init")) rmSync(path.join(folder, "agent.toml"), { force: true });
  if (example.command.includes("--config agent.toml")) writeFileSync(path.join(folder, "agent.toml"), "");
  if (example.command.startsWith("millrace queue")) {
    for (const place of ["queue/metric", "gateway/queue/a"]) {
      for (const data of [lib, path.join(folder, "millrace-data")]) {
        mkdirSync(path.join(data, place), { recursive: true });
      }
    }
  }
  // The command `millrace platform repair` needs an existing folder of a points store.
  if (example.command.startsWith("millrace platform repair"))
    mkdirSync(path.join(lib, "platform/points"), { recursive: true });
  // The command `millrace platform restore` needs a folder in which there is no points store yet.
  if (example.command.startsWith("millrace platform restore"))
    for (const name of ["points", "metadata.sqlite", "metadata.sqlite-wal", "metadata.sqlite-shm"])
      rmSync(path.join(lib, "platform", name), { recursive: true, force: true });
  const { code, out, err } = await run(example);
  expect({ code, err: code === 0 ? "" : err, out: code === 0 ? "" : out }).toEqual({ code: 0, err: "", out: "" });
  let from = 0;
  for (const line of example.answered) {
    const found = out.indexOf(line, from);
    expect([line, found >= 0]).toEqual([line, true]);
    from = found + line.length;
  }
});

// The listeners of an agent (docs/reference/agent.md#listeners): TLS, Unix sockets, and reloads of the configuration.

import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { request as requestTls } from "node:https";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { makeCertificates } from "../../support/certificates.ts";
import { startAgent } from "../../support/running-agent.ts";

function folderOfTest(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "millrace-listen-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function ask(socketPath: string, at: string, headers = {}): Promise<number> {
  return new Promise((resolve, reject) => {
    const call = request({ socketPath, path: at, headers }, (response) => {
      response.resume();
      response.on("end", () => resolve(response.statusCode!));
    });
    call.on("error", reject);
    call.end();
  });
}

it("listens on a further Unix socket, whose clients are local", async () => {
  const socket = path.join(folderOfTest(), "sub", "agent.sock");
  const agent = await startAgent({ config: `[http_api]\nlisten_socket = "${socket}"` });
  onTestFinished(() => agent.stop());
  expect(await ask(socket, "/metrics")).toBe(200);
  expect(await ask(socket, "/metrics", { "x-forwarded-for": "127.0.0.1" })).toBe(403);
  expect(statSync(socket).mode & 0o777).toBe(0o722);
  expect((await agent.send("/v1/ping")).status).toBe(200);
});

it.each([
  [
    "relative.sock",
    () => {},
    'agent.toml:2: http_api.listen_socket must be an absolute path, got the text "relative.sock"',
  ],
  ["FOLDER/file", (file: string) => writeFileSync(file, "kept"), "exists and is no socket"],
])("refuses the socket path %s", async (name, prepare, reason) => {
  const file = name.replace("FOLDER", folderOfTest());
  prepare(file);
  await expect(startAgent({ config: `[http_api]\nlisten_socket = "${file}"` })).rejects.toThrow(reason);
});

it("serves HTTPS when the certificate and the key exist", async () => {
  const { files, remove } = makeCertificates();
  onTestFinished(remove);
  const agent = await startAgent({ config: `[http_api.tls]\ncert = "${files.cert}"\nprivkey = "${files.key}"` });
  onTestFinished(() => agent.stop());
  expect(agent.url).toMatch(/^https:/);
  const status = await new Promise((resolve, reject) => {
    const call = requestTls(`${agent.url}/v1/ping`, { rejectUnauthorized: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    call.on("error", reject);
    call.end();
  });
  expect(status).toBe(200);
});

it("does not start when a TLS file is missing", async () => {
  await expect(startAgent({ config: '[http_api.tls]\ncert = "/does/not/exist.pem"' })).rejects.toThrow(
    'agent.toml:2: http_api.tls.cert must be a file that can be read, got the text "/does/not/exist.pem"',
  );
});

it("applies a new configuration at SIGHUP, and keeps the old one when the new one has a mistake", async () => {
  const configOf = (tag: string) => `[global_host_tags]\ntag = ${tag}\n[environments]\nENV_HOSTNAME = "web01"\n`;
  const mistaken = `${configOf("1")}[http_api]\nworkers = "two"\nworker = 2\n`;
  const agent = await startAgent({ config: configOf('"old"') });
  onTestFinished(() => agent.stop());
  const file = path.join(agent.dataDir, "agent.toml");
  const reload = async (text: string, told: RegExp) => {
    writeFileSync(file, text);
    agent.signal("SIGHUP");
    await expect.poll(() => agent.log()).toMatch(told);
    return told.exec(agent.log())?.[1] ?? agent.url;
  };
  const tagsAt = async (url: string) =>
    JSON.parse((await agent.send("/v1/global/host/tags", {}, url)).text)["host-tags"];
  expect(
    await tagsAt(await reload(mistaken, /stays as it was: .*agent\.toml:2: global_host_tags\.tag must be a text/)),
  ).toEqual({
    host: "web01",
    tag: "old",
  });
  // Each message of the log takes exactly one line.
  expect(agent.log()).toMatch(
    /^\S+ ERROR the configuration stays as it was: \S+agent\.toml:6: http_api\.workers must/m,
  );
  expect(agent.log()).toMatch(/^\S+ WARN \S+agent\.toml:7: unknown key http_api\.worker, ignored/m);
  const tls = `[http_api.tls]\ncert = "${file}"\nprivkey = "${file}"\n`;
  await reload(configOf('"new"') + tls, /the configuration stays as it was: .*PEM/);
  expect(await tagsAt(agent.url)).toEqual({ host: "web01", tag: "old" });
  const url = await reload(configOf('"new"'), /configuration reloaded, listening on (\S+)/);
  expect(await tagsAt(url)).toEqual({ host: "web01", tag: "new" });
});

it("retries while neither the new nor the old configuration starts, and ends at a signal", async () => {
  const config = '[environments]\nENV_HOSTNAME = "web01"\n';
  const agent = await startAgent({ config });
  const file = path.join(agent.dataDir, "agent.toml");
  const output = path.join(agent.dataDir, "output");
  // Puts a file in the place of the folder of output files. Then an agent cannot start, neither with the old nor with
  // the new configuration.
  const hinder = () => {
    rmSync(output, { recursive: true });
    writeFileSync(output, "");
  };
  hinder();
  writeFileSync(file, `${config}[global_host_tags]\ntag = "new"\n`);
  agent.signal("SIGHUP");
  await expect.poll(() => agent.log()).toMatch(/the new configuration does not start: /);
  await expect.poll(() => agent.log()).toMatch(/the old configuration does not start either: /);
  await expect.poll(() => agent.log()).toMatch(/ERROR no agent runs; both are tried again in 2 s/);
  const refused = await agent.send("/v1/ping");
  expect([refused.status, refused.headers["retry-after"]]).toEqual([503, "2"]);
  expect(JSON.parse(refused.text).error_code).toBe("agent.notReady");
  rmSync(output);
  await expect.poll(() => agent.log()).toMatch(/configuration reloaded, listening on \S+/);
  const url = /configuration reloaded, listening on (\S+)/.exec(agent.log())![1];
  const { text } = await agent.send("/v1/global/host/tags", {}, url);
  expect(JSON.parse(text)["host-tags"]).toEqual({ host: "web01", tag: "new" });

  hinder();
  agent.signal("SIGHUP");
  await expect.poll(() => agent.log().match(/no agent runs/g)?.length).toBeGreaterThan(1);
  await agent.stop();
  expect(agent.log()).not.toMatch(/\n {4}at /);
});

it("does not treat a disconnected client as a local one", async () => {
  const agent = await startAgent({ config: '[environments]\nENV_HOSTNAME = "web01"' });
  onTestFinished(() => agent.stop());
  const { port } = new URL(agent.url);
  for (let round = 0; round < 30; round++) {
    await new Promise<void>((resolve) => {
      const client = connect(Number(port), "127.0.0.1", () => {
        const headers = "Host: localhost\r\nX-Forwarded-For: 8.8.8.8\r\nContent-Length: 0";
        client.write(`POST /v1/global/host/tags?evil=1 HTTP/1.1\r\n${headers}\r\n\r\n`, () => client.resetAndDestroy());
      });
      client.on("close", () => resolve());
      client.on("error", () => {});
    });
  }
  expect(JSON.parse((await agent.send("/v1/global/host/tags")).text)).toEqual({ "host-tags": { host: "web01" } });
});

it("writes its process id to a file, and ends after the given run time", async () => {
  const file = path.join(folderOfTest(), "agent.pid");
  const agent = await startAgent({ args: ["--pid-file", file, "--max-run-duration", "5s"] });
  onTestFinished(() => agent.stop());
  expect(readFileSync(file, "utf8")).toMatch(/^\d+\n$/);
  await expect.poll(() => existsSync(file)).toBe(false);
  await expect.poll(() => agent.log()).toContain("INFO stopping");
});

it.each(["soon", "0s", "600h"])("refuses to run for %s", async (time) => {
  const args = ["--max-run-duration", time];
  await expect(startAgent({ args })).rejects.toThrow("--max-run-duration must be a duration such as 12h");
});

// TLS of a gateway: clients check the gateway's certificate, and the gateway checks the certificates of its targets.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import {
  type GatewayProcess,
  startGatewayProcess,
  startWorkspaces,
  type Workspaces,
} from "../support/running-gateway.ts";

const a = `tkn_${"a".repeat(32)}`;

let workspaces: Workspaces;
let secure: GatewayProcess;
let folder: string;
let cert: string;

beforeAll(async () => {
  workspaces = await startWorkspaces();
  folder = mkdtempSync(path.join(tmpdir(), "millrace-tls-"));
  const key = path.join(folder, "key.pem");
  cert = path.join(folder, "cert.pem");
  const args = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=gateway".split(" ");
  execFileSync("openssl", [...args, "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", cert], {
    stdio: "ignore",
  });
  secure = await startGatewayProcess({
    config: `[gateway_api]\nremote_host = "${workspaces.url}"\n[gateway_api.tls]\ncert = "${cert}"\nprivkey = "${key}"\n`,
  });
});

afterAll(async () => {
  await secure?.stop();
  await workspaces.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Sends a write to a gateway. Returns the status of the answer, or the code of the error when there is no answer. */
function write(url: string, ca: Buffer | undefined): Promise<number | string | undefined> {
  return new Promise((resolve) => {
    const call = request(`${url}/v1/write/metric?token=${a}`, { method: "POST", agent: false, ca }, (response) => {
      response.resume();
      response.on("end", () => resolve(response.statusCode));
    });
    call.on("error", (error: NodeJS.ErrnoException) => resolve(error.code));
    call.end("m v=1");
  });
}

it("clients that trust the gateway's certificate can write; other clients get a certificate error", async () => {
  expect(secure.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
  expect(await write(secure.url, undefined)).toBe("DEPTH_ZERO_SELF_SIGNED_CERT");
  expect(workspaces.lines(a)).toEqual([]);
  expect(await write(secure.url, readFileSync(cert))).toBe(200);
  expect(workspaces.lines(a)).toEqual(["m v=1"]);
});

it.each([
  ['cert = "/does/not/exist.pem"', "gateway.toml:2: gateway_api.tls.cert must be a file that can be read"],
  ['privkey = "KEY"', "gateway.toml:2: gateway_api.tls.privkey needs gateway_api.tls.cert beside it"],
])("the gateway does not start with %s alone", async (setting, reason) => {
  const config = `[gateway_api.tls]\n${setting.replace("KEY", path.join(folder, "key.pem"))}`;
  await expect(startGatewayProcess({ config })).rejects.toThrow(reason);
});

it.each([true, false])("the check of a target's certificate depends on insecure_skip_verify = %s", async (takesAny) => {
  const before = workspaces.lines(a).length;
  const gateway = await startGatewayProcess({
    config: `[gateway_api]\nremote_host = "${secure.url}"\ninsecure_skip_verify = ${takesAny}\n`,
  });
  onTestFinished(() => gateway.stop());
  const { text } = await gateway.send(`/v1/write/metric?token=${a}`, { body: `m any=${takesAny}` });
  expect(text).toBe(takesAny ? "" : '{"cached":true}');
  expect(workspaces.lines(a).slice(before)).toEqual(takesAny ? ["m any=true"] : []);
});

it("nothing is sent to a target with an untrusted certificate; once trusted, it gets the kept writes", async () => {
  const before = workspaces.lines(a).length;
  const rules = { strict: true, rules: [{ rules: ["{ app = 'x' }"], url: `${secure.url}/?token=${a}` }] };
  const retries = '[gateway_api.cache]\nretry_delay = "20ms"\nclean_interval = "100ms"\n';
  const first = await startGatewayProcess({ rules, config: retries });
  const header = { "x-global-tags": "app=x" };
  const answer = await first.send("/v1/write/metric", { body: "m v=2", headers: header });
  expect([answer.status, answer.text]).toEqual([200, '{"cached":true}']);
  await expect.poll(() => first.log()).toMatch(/requests for 127\.0\.0\.1-\d+-[0-9a-f]{8} wait on disk/);
  expect(workspaces.lines(a)).toHaveLength(before);
  await first.kill();
  const second = await startGatewayProcess({
    rules,
    dataDir: first.dataDir,
    config: `[gateway_api]\ntls_ca = "${cert}"\n${retries}`,
  });
  onTestFinished(() => second.stop());
  await expect.poll(() => workspaces.lines(a).slice(before), { timeout: 10_000 }).toEqual(["m v=2"]);
  expect((await second.send("/v1/write/metric", { body: "m v=3", headers: header })).text).toBe("");
  expect(workspaces.lines(a).slice(before)).toEqual(["m v=2", "m v=3"]);
});

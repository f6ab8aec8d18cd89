// Scripts that the command line runs see the reference tables and the database of IP addresses that the configuration
// names.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { compileScripts } from "../../../../lib/pipeline/compile/scripts.ts";
import { type TablesOnce, tablesOnce } from "../../../../server/cli/pipeline/tables-once.ts";
import { millrace } from "../../support/millrace.ts";

const document = JSON.stringify([
  {
    table_name: "hosts",
    column_name: ["ip", "owner"],
    column_type: ["string", "string"],
    row_data: [["10.0.0.1", "ada"]],
  },
]);

let folder: string;
let server: Server;
let asked: number;
let answer: (response: ServerResponse) => void;

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "millrace-surroundings-"));
  asked = 0;
  answer = (response) => response.setHeader("content-type", "application/json").end(document);
  server = createServer((_request, response) => {
    asked++;
    answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true });
});

const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/tables`;

function write(name: string, text: string): string {
  const file = path.join(folder, name);
  writeFileSync(file, text);
  return file;
}

describe("reference tables", () => {
  const script = 'query_refer_table("hosts", "ip", message)\n';

  it("are loaded by every command that runs a script which queries them", async () => {
    const file = write("tables.p", 'use("look-up.p")\n');
    write("look-up.p", script);
    const config = write("agent.toml", `[pipeline]\nrefer_table_url = "${url()}"\n`);
    const once = await millrace(["pipeline", "-P", file, "-T", "10.0.0.1", "--config", config]);
    expect([once.code, once.err]).toEqual([0, ""]);
    expect(once.out).toContain('"owner": "ada"');
    const ran = await millrace(["pipeline", "run", file, "--config", config], "10.0.0.1\n10.0.0.1\n");
    expect(ran.out.split("\n").map((line) => line.includes('"owner":"ada"'))).toEqual([true, true, false]);
    const traced = await millrace(["pipeline", "trace", file, "--config", config], "10.0.0.1\n");
    expect(traced.out).toContain('owner = "ada"');
    const timed = await millrace(["pipeline", "bench", file, "--seconds", "0.05", "--config", config], "10.0.0.1\n");
    expect([timed.code, timed.err]).toEqual([0, ""]);
    const written = await millrace(["pipeline", "repl", "10.0.0.1", "--config", config], script + script);
    expect(written.out).toContain('owner = "ada"');
    expect(asked).toBe(5);
    await millrace(["pipeline", "run", write("none.p", "add_key(a, 1)\n"), "--config", config], "x\n");
    expect(asked).toBe(5);
  });

  it("that are not configured or cannot be loaded cause a warning with the reason", async () => {
    const file = write("tables.p", script);
    const none = await millrace(["pipeline", "-P", file, "-T", "10.0.0.1"]);
    expect([none.code, none.err]).toEqual([
      0,
      "tables.p finds nothing in reference tables: the configuration names none (pipeline.refer_table_url)\n",
    ]);
    const config = write("agent.toml", `[pipeline]\nrefer_table_url = "${url()}"\n`);
    answer = (response) => response.end(document);
    const wrong = await millrace(["pipeline", "run", file, "--config", config], "10.0.0.1\n");
    expect(wrong.err).toContain("tables.p finds nothing in reference tables: url: ");
    expect(wrong.err).toContain("content type must be application/json");
    expect(wrong.out).not.toContain("ada");
  });

  it("are waited for no longer than the timeout, even while requests are retried", async () => {
    const { scripts } = compileScripts({ "tables.p": script });
    const settings = { "pipeline.refer_table_url": url(), "pipeline.refer_table_max_bytes": 1000 };
    for (const each of [() => {}, (response: ServerResponse) => response.writeHead(503).end()]) {
      answer = each;
      const warnings: string[] = [];
      const tables: TablesOnce = tablesOnce(settings, 300);
      await tables.loadFor(scripts.get("tables.p")!, (message) => warnings.push(message));
      expect(warnings).toEqual(["tables.p finds nothing in reference tables: no answer within 0.3 s"]);
      expect(tables.lookup()).toBeNull();
    }
  });
});

describe("the IP address database", () => {
  it("is read from the file that the configuration names", async () => {
    write("networks.csv", "10.0.0.0/8,ZZ,Here,There,me\n");
    const config = write(
      "agent.toml",
      `[pipeline]\nipdb_type = "cidr"\n[pipeline.ipdb_attr]\ncidr_file = ${JSON.stringify(path.join(folder, "networks.csv"))}\n`,
    );
    const file = write("places.p", "geoip(message)\n");
    const { out } = await millrace(["pipeline", "run", file, "--config", config], "10.0.0.1\n");
    expect(out).toContain('"city":"There","country":"ZZ","isp":"me"');
    expect((await millrace(["pipeline", "run", file], "1.1.1.1\n")).out).toContain('"country":"AU"');
  });

  it("is not used when the configuration is invalid: the command fails and names the setting", async () => {
    const config = write("agent.toml", "[pipeline]\nrefer_table_max_bytes = 0\n");
    const file = write("places.p", "geoip(message)\n");
    const { code, err } = await millrace(["pipeline", "run", file, "--config", config], "x\n");
    expect(code).toBe(1);
    expect(err).toContain("refer_table_max_bytes");
    expect(await millrace(["pipeline", "-P", file, "-T", "x", "--config", config])).toMatchObject({
      code: 255,
      err: expect.stringMatching(/^\[E\] [\s\S]*refer_table_max_bytes/),
    });
  });
});

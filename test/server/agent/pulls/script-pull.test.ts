// How an agent handles each answer of its gateway to a request for scripts. The requests go over HTTP.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { openGateways } from "../../../../server/agent/outputs/gateways.ts";
import { startScriptPull } from "../../../../server/agent/pulls/script-pull.ts";
import { createScripts } from "../../../../server/agent/scripts/script-layers.ts";
import { startGateway } from "../../support/recording-gateway.ts";

const base64 = (text: string) => Buffer.from(text).toString("base64");
const script = { name: "a.p", category: "logging", base64text: base64("drop()") };
const relation = { category: "logging", source: "s", name: "a.p" };
const answer = (members: object) => JSON.stringify({ remote_pipelines: members });
const good = { update_time: 5, pipelines: [script], relation_update_time: 5, relation: [relation] };

async function pulling(first: string) {
  const gateway = await startGateway();
  onTestFinished(() => gateway.close());
  gateway.scripts = first;
  const folder = mkdtempSync(path.join(tmpdir(), "millrace-script-pull-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const lines: string[] = [];
  const note = (line: string) => void lines.push(line);
  const gateways = await openGateways({
    urls: [`${gateway.url}?token=secret`],
    timeoutMs: 60_000,
    proxy: "",
    caFile: "",
    insecure: false,
  });
  onTestFinished(() => gateways.close());
  const changes: object[] = [];
  const scripts = createScripts({ onChange: (layers) => changes.push(layers.remote) });
  const pull = startScriptPull({
    gateway: gateways.all[0]!,
    scripts,
    sharding: undefined,
    intervalMs: 5,
    file: path.join(folder, "scripts"),
    log: { isDebug: false, debug: () => {}, info: () => {}, warn: note, error: note },
  });
  onTestFinished(() => pull.close());
  /** Waits until the agent has requested scripts `count` more times and the gateway has answered. */
  const rounds = async (count: number) => {
    const enough = gateway.scriptPulls.length + count;
    await expect.poll(() => gateway.scriptPulls.length).toBeGreaterThan(enough);
  };
  return { gateway, scripts, lines, changes, rounds };
}

it("applies a set of scripts once, and ignores an answer with the same time or without a time", async () => {
  const { gateway, scripts, changes, lines, rounds } = await pulling(answer(good));
  await rounds(2);
  for (const update_time of [5, 0, -1]) {
    gateway.scripts = answer({ ...good, update_time, pipelines: [], relation_update_time: -1, relation: [] });
    await rounds(2);
  }
  // Three answers of gateways that offer no scripts. After each of them, the agent must keep the scripts that it has.
  for (const text of ["{}", '{"remote_pipelines":null}', 404]) {
    gateway.scripts = text;
    await rounds(2);
  }
  expect(changes).toEqual([expect.objectContaining({ logging: { "a.p": "drop()" } })]);
  expect(scripts.choose("logging", "s")).toBe("a.p");
  expect([scripts.choose("logging", ""), scripts.choose("metric", "s")]).toEqual([undefined, undefined]);
  expect(lines).toEqual([]);
  gateway.scripts = answer({ update_time: 1, pipelines: null, relation_update_time: 6, relation: null });
  await rounds(2);
  expect(changes[1]).toMatchObject({ logging: {} });
  expect(changes).toHaveLength(2);
  expect(scripts.choose("logging", "s")).toBeUndefined();
});

it("accepts base64 without padding, and leaves out scripts of unknown categories", async () => {
  const unpadded = { ...script, base64text: base64("drop()\n").replace(/=+$/, "") };
  const { changes, lines, rounds } = await pulling(
    answer({ ...good, pipelines: [{ ...script, category: "__proto__" }, unpadded] }),
  );
  await rounds(2);
  expect(changes).toEqual([expect.objectContaining({ logging: { "a.p": "drop()\n" } })]);
  expect(lines).toEqual(["scripts of the gateway: unknown category __proto__; left out"]);
});

it.each<readonly [string, string]>([
  ["secret", "the answer is not JSON"],
  ["[]", "the answer is no object"],
  ['{"remote_pipelines":[]}', "remote_pipelines is no object"],
  [answer({ update_time: "6" }), "update_time is no integer"],
  [answer({ update_time: 6, relation_update_time: 1.5 }), "relation_update_time is no integer"],
  [answer({ update_time: 6, pipelines: {} }), "pipelines is no list"],
  [answer({ update_time: 6, pipelines: [1] }), "pipelines[0]: no category"],
  ...["../a.p", "a/b.p", "a\\b.p", "a", ".p", "a.P", "a\n.p", "", 1, `${"x".repeat(300)}.p`].map(
    (name) =>
      [
        answer({ update_time: 6, pipelines: [{ ...script, name }] }),
        "pipelines[0]: name must be a file name that ends with .p",
      ] as const,
  ),
  [answer({ update_time: 6, pipelines: [{ ...script, base64text: 1 }] }), "logging/a.p: base64text is no text"],
  [
    answer({ update_time: 6, pipelines: [{ ...script, base64text: "****" }] }),
    "logging/a.p: illegal base64 data at input byte 0",
  ],
  [answer({ update_time: 6, pipelines: [{ ...script, base64text: "/w==" }] }), "logging/a.p: not UTF-8"],
  [answer({ update_time: 6, pipelines: [script, script] }), "logging/a.p is there twice"],
  [
    answer({ update_time: 6, pipelines: [{ ...script, base64text: base64("#".repeat(1024 * 1024 + 1)) }] }),
    "logging/a.p: longer than 1048576 bytes",
  ],
  [
    answer({
      update_time: 6,
      pipelines: Array.from({ length: 17 }, (_, at) => ({
        ...script,
        name: `${at}.p`,
        base64text: base64("#".repeat(1024 * 1024)),
      })),
    }),
    "all scripts together: longer than 16777216 bytes",
  ],
  [
    answer({ update_time: 6, pipelines: [], relation_update_time: 6, relation: [{ ...relation, source: "" }] }),
    "relation[0]: no source",
  ],
  [
    answer({ update_time: 6, pipelines: [], relation_update_time: 6, relation: [{ ...relation, name: "a" }] }),
    "relation[0]: name must be a file name that ends with .p",
  ],
])("keeps the current scripts when an answer is invalid (%#)", async (bad, reason) => {
  const { gateway, scripts, lines, changes, rounds } = await pulling(answer(good));
  await rounds(1);
  gateway.scripts = bad;
  await rounds(3);
  expect(lines).toEqual([`scripts of the gateway: ${reason}; those in force are kept`]);
  expect(changes).toHaveLength(1);
  expect(scripts.choose("logging", "s")).toBe("a.p");
  // The agent could not use the last answers. So its next request has the update time of the last answer that the agent
  // could use.
  expect(new URL(gateway.scriptPulls.at(-1)!.url, gateway.url).searchParams.get("ts")).toBe("5");
});

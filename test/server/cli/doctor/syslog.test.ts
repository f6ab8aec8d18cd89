// The output of `millrace doctor` and `millrace monitor` about [[inputs.syslog]].

import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { examineSyslog } from "../../../../server/cli/doctor/syslog.ts";
import { loadConfig } from "../../../../server/config/load.ts";
import { millrace } from "../../support/millrace.ts";
import { startAgent } from "../../support/running-agent.ts";

const entriesOf = (listens: readonly string[]) => {
  const text = listens.map((listen) => `[[inputs.syslog]]\nlisten = "${listen}"\n`).join("");
  return loadConfig({ file: { name: "agent.toml", text } }).config["inputs.syslog"];
};

it("reports which addresses are free, in use, or not of this machine", async () => {
  const tcp = createServer().listen(0, "127.0.0.1");
  const udp = createSocket("udp4").bind(0, "127.0.0.1");
  onTestFinished(() => void [tcp.close(), udp.close()]);
  await Promise.all([once(tcp, "listening"), once(udp, "listening")]);
  const [tcpPort, udpPort] = [(tcp.address() as { port: number }).port, udp.address().port];
  const listens = [
    `udp://127.0.0.1:${udpPort}`,
    `tcp://127.0.0.1:${tcpPort}`,
    "udp://127.0.0.1:0",
    "tcp://127.0.0.1:0",
    "unix:///nowhere/log",
    "udp://192.0.2.1:514",
    "tcp://192.0.2.1:514",
  ];
  expect((await examineSyslog(entriesOf(listens))).map(({ grade, text }) => [grade, text])).toEqual([
    ["ok", `syslog ${listens[0]}: in use, by the agent if one runs with this configuration`],
    ["ok", `syslog ${listens[1]}: in use, by the agent if one runs with this configuration`],
    ["ok", `syslog ${listens[2]}: free, nothing receives there now`],
    ["ok", `syslog ${listens[3]}: free, nothing receives there now`],
    ["ok", `syslog ${listens[4]}: free, nothing receives there now`],
    ["fail", `syslog ${listens[5]}: cannot be used: EADDRNOTAVAIL`],
    ["fail", `syslog ${listens[6]}: cannot be used: EADDRNOTAVAIL`],
  ]);
});

it("appears in doctor, and in the monitor while an agent runs", async () => {
  const agent = await startAgent({ config: '[[inputs.syslog]]\nlisten = "udp://127.0.0.1:0"\n' });
  onTestFinished(() => agent.stop());
  const { out } = await millrace(["doctor", "--config", `${agent.dataDir}/agent.toml`, "--to", agent.url]);
  expect(out).toContain("ok    input    syslog udp://127.0.0.1:0: free, nothing receives there now\n");
  const port = Number(/\(port (\d+)\)/.exec(agent.log())![1]);
  const socket = createSocket("udp4");
  socket.send("no syslog", port, "127.0.0.1", () => socket.close());
  const fed = () => agent.metric('agent_io_feed_total{name="v1-write.syslog/syslog",category="logging"}');
  await expect.poll(fed, { timeout: 20_000 }).toBe(1);
  const shown = await millrace(["monitor", "--to", agent.url, "--once", "--modules", "inputs"]);
  expect(shown.out).toMatch(/^syslog\/syslog +- +1 /m);
  expect(shown.out).toMatch(/^udp:\/\/127\.0\.0\.1:0 +- +1 +0 +0 +0 +1 +0$/m);
});

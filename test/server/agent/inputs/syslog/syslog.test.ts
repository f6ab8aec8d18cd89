// The input syslog in a real agent: messages arrive as logs, and faulty senders do no harm.

import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { connect as connectTls } from "node:tls";
import { expect, it, onTestFinished } from "vitest";
import { makeCertificates } from "../../../support/certificates.ts";
import { startGateway } from "../../../support/recording-gateway.ts";
import { startRsyslog } from "../../../support/rsyslog.ts";
import { type AgentProcess, startAgent } from "../../../support/running-agent.ts";

const patience = { timeout: 20_000, interval: 50 };

async function agentOfTest(config: string, options: Parameters<typeof startAgent>[0] = {}): Promise<AgentProcess> {
  const agent = await startAgent({ config, ...options });
  onTestFinished(() => agent.stop());
  return agent;
}

/**
 * Returns the configuration of an input that listens at the address; port 0 lets the operating system choose a port.
 */
const entryFor = (listen: string, more = "") => `[[inputs.syslog]]\nlisten = "${listen}"\n${more}\n`;

/** Returns the port that the input number `at` of the configuration listens on. */
async function portOf(agent: AgentProcess, at = 0): Promise<number> {
  const ports = () => Array.from(agent.log().matchAll(/receiving at \S+ \(port (\d+)\)/g), ([, port]) => Number(port));
  await expect.poll(() => ports().length, patience).toBeGreaterThan(at);
  return ports()[at]!;
}

/** Returns the lines of all points that the agent has written. */
async function linesOf(agent: AgentProcess): Promise<string[]> {
  return existsSync(path.join(agent.dataDir, "output/logging.lp")) ? await agent.output("logging") : [];
}

async function messagesOf(agent: AgentProcess): Promise<string[]> {
  const text = (await linesOf(agent)).join("\n");
  return Array.from(text.matchAll(/ message="((?:[^"\\]|\\.)*)"/gs), ([, message]) => message!);
}

async function sendDatagrams(port: number, messages: readonly string[]): Promise<void> {
  const socket = createSocket("udp4");
  for (const message of messages)
    await new Promise<void>((resolve) => socket.send(message, port, "127.0.0.1", () => resolve()));
  socket.close();
}

async function connected(to: { port: number } | { path: string }): Promise<Socket> {
  const socket = connect({ host: "127.0.0.1", ...to });
  socket.on("error", () => {});
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  return socket;
}

const numbered = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => `line ${from + at}`);
const framed = (messages: readonly string[]) => messages.map((each) => `<13>1 - h a - - - ${each}\n`).join("");

it("turns each datagram into a log, with its parts as fields, its tags and the script of its source", async () => {
  const agent = await agentOfTest(entryFor("udp://127.0.0.1:0", 'source = "web"\ntags = { site = "a b" }'), {
    scripts: { "logging/web.p": "add_key(size, len(_))" },
  });
  const port = await portOf(agent);
  const time = new Date(Math.floor(Date.now() / 1000) * 1000);
  await sendDatagrams(port, [`<165>1 ${time.toISOString()} box app 12 ID7 [ex@1 k="v"] said "x"`, "no syslog at all"]);
  await expect.poll(() => linesOf(agent), patience).toHaveLength(2);
  const [first, second] = await linesOf(agent);
  expect(first).toMatch(/^web,host=box,site=a\\ b /);
  for (const field of [
    'message="said \\"x\\""',
    'facility="local4"',
    "severity=5i",
    'status="notice"',
    'appname="app"',
    'procid="12"',
    'msgid="ID7"',
    'ex@1_k="v"',
    "size=8i",
    ` ${time.getTime()}000000`,
  ])
    expect(first).toContain(field);
  // The second message contains no host name and comes from this machine, so its point gets the agent's host name.
  expect(second).toMatch(/^web,host=[^, ]+,site=a\\ b /);
  expect(second).toContain('message="no syslog at all"');
  const listen = 'listen="udp://127.0.0.1:0"';
  expect(await agent.metric(`agent_input_syslog_message_total{${listen}}`)).toBe(2);
  expect(await agent.metric(`agent_input_syslog_unparsed_message_total{${listen}}`)).toBe(1);
  expect(await agent.metric('agent_io_feed_total{name="v1-write.syslog/web",category="logging"}')).toBeGreaterThan(0);
});

it("skips the bundled syslog script, since the message is already parsed", async () => {
  const agent = await agentOfTest(entryFor("udp://127.0.0.1:0"));
  await sendDatagrams(await portOf(agent), ["<34>1 - box app - - - Oct 11 22:14:15 other su: nested"]);
  await expect.poll(() => linesOf(agent), patience).toHaveLength(1);
  const [line] = await linesOf(agent);
  expect(line).toMatch(/^syslog,host=box .*message="Oct 11 22:14:15 other su: nested"/);
  expect(line).not.toContain("program=");
});

it("reads streams by octet counting and by lines, also a last message without an end", async () => {
  const agent = await agentOfTest(entryFor("tcp://127.0.0.1:0"));
  const port = await portOf(agent);
  const socket = await connected({ port });
  const counted = "<13>1 - h a - - - two\nlines";
  socket.write(`${counted.length} ${counted}${framed(["one"])}<13>1 - h a - - - ha`);
  await expect.poll(() => messagesOf(agent), patience).toEqual(["two\nlines", "one"]);
  expect(await agent.metric('agent_input_syslog_connections{listen="tcp://127.0.0.1:0"}')).toBeGreaterThanOrEqual(0);
  socket.end("lf");
  await expect.poll(() => messagesOf(agent), patience).toEqual(["two\nlines", "one", "half"]);
});

it("reads over TLS, and requires certificates of senders when configured", async () => {
  const files = makeCertificates("syslog");
  onTestFinished(() => files.remove());
  const tls = `tls_cert = "${files.files.cert}"\ntls_key = "${files.files.key}"`;
  const agent = await agentOfTest(
    entryFor("tls://127.0.0.1:0", tls) + entryFor("tls://localhost:0", `${tls}\ntls_client_ca = "${files.authority}"`),
  );
  const ports = [await portOf(agent, 0), await portOf(agent, 1)];
  const ca = readFileSync(files.authority);
  const open = async (port: number, more = {}) => {
    const socket = connectTls({ host: "127.0.0.1", port, ca, ...more });
    socket.on("error", () => {});
    onTestFinished(() => void socket.destroy());
    await once(socket, "secureConnect");
    return socket;
  };
  (await open(ports[0]!)).write(framed(["secret"]));
  await expect.poll(() => messagesOf(agent), patience).toEqual(["secret"]);
  (await open(ports[1]!)).write(framed(["refused"]));
  await expect
    .poll(
      () => agent.metric('agent_input_syslog_closed_connection_total{listen="tls://localhost:0",reason="tls"}'),
      patience,
    )
    .toBe(1);
  (await open(ports[1]!, { cert: files.cert, key: files.key })).write(framed(["allowed"]));
  await expect.poll(() => messagesOf(agent), patience).toEqual(["secret", "allowed"]);
  // A sender without TLS is refused, and the agent keeps running.
  (await connected({ port: ports[0]! })).write(framed(["plain"]));
  (await open(ports[0]!)).write(framed(["still"]));
  await expect.poll(() => messagesOf(agent), patience).toEqual(["secret", "allowed", "still"]);
});

it("reads from a Unix socket that others may write to, and replaces a stale socket", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "millrace-syslog-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const at = path.join(folder, "run/log");
  const config = entryFor(`unix://${at}`);
  const first = await agentOfTest(config);
  await expect.poll(() => existsSync(at), patience).toBe(true);
  expect(statSync(at).mode & 0o777).toBe(0o722);
  await first.kill();
  expect(existsSync(at)).toBe(true);
  const second = await agentOfTest(config);
  await expect.poll(() => second.log(), patience).toContain("receiving at");
  (await connected({ path: at })).write(framed(["one"]));
  await expect.poll(() => messagesOf(second), patience).toEqual(["one"]);
  // The agent `second` still listens on the Unix socket. A starting agent does not replace a socket on which another
  // process listens. So a third agent with the same configuration cannot start.
  await expect(startAgent({ config })).rejects.toThrow(/syslog: unix:\/\/.* cannot be used: .*EADDRINUSE/);
  (await connected({ path: at })).write(framed(["two"]));
  await expect.poll(() => messagesOf(second), patience).toEqual(["one", "two"]);
  await second.stop();
  expect(existsSync(at)).toBe(false);
});

it("loses nothing over reloads: connections stay open, and datagrams are buffered", { timeout: 60_000 }, async () => {
  const agent = await agentOfTest(entryFor("tcp://127.0.0.1:0") + entryFor("udp://127.0.0.1:0"));
  const [tcp, udp] = [await portOf(agent, 0), await portOf(agent, 1)];
  const socket = await connected({ port: tcp });
  const reloads = () => agent.log().split("configuration reloaded").length - 1;
  let sent = 0;
  for (let round = 1; round <= 4; round++) {
    agent.signal("SIGHUP");
    do {
      // The test sends each TCP message in two parts, so that the reload of the configuration may happen between the
      // two parts.
      const part = `<13>1 - h a - - - tcp ${sent}`;
      socket.write(part.slice(0, 10));
      await sendDatagrams(udp, [`<13>1 - h a - - - udp ${sent}`]);
      await new Promise((resolve) => setTimeout(resolve, 5));
      socket.write(`${part.slice(10)}\n`);
      sent++;
    } while (reloads() < round);
  }
  const expected = Array.from({ length: sent }, (_, at) => [`tcp ${at}`, `udp ${at}`]).flat();
  await expect.poll(async () => (await messagesOf(agent)).length, patience).toBe(expected.length);
  expect((await messagesOf(agent)).sort()).toEqual(expected.sort());
  expect(socket.destroyed).toBe(false);
});

it("closes a removed address, and keeps the old configuration when a new address is in use", async () => {
  const agent = await agentOfTest(entryFor("tcp://127.0.0.1:0"));
  const port = await portOf(agent);
  const configure = (text: string) => {
    writeFileSync(path.join(agent.dataDir, "agent.toml"), text);
    agent.signal("SIGHUP");
  };
  const other = await agentOfTest(entryFor("tcp://127.0.0.1:0"));
  configure(entryFor("tcp://127.0.0.1:0") + entryFor(`tcp://127.0.0.1:${await portOf(other)}`));
  await expect.poll(() => agent.log(), patience).toContain("going on with the old configuration");
  expect(agent.log()).toMatch(/syslog: tcp:\/\/127.0.0.1:\d+ cannot be used: .*EADDRINUSE/);
  const socket = await connected({ port });
  socket.write(framed(["one"]));
  await expect.poll(() => messagesOf(agent), patience).toEqual(["one"]);
  const closed = once(socket, "close");
  configure("");
  await closed;
  await expect(connected({ port })).rejects.toThrow();
});

it("cuts long messages, and closes connections beyond its limits of number and memory", async () => {
  const listen = "tcp://127.0.0.1:0";
  const more = "max_message_bytes = 1000\nmax_connections = 3\nmax_unfinished_bytes = 1500";
  const agent = await agentOfTest(entryFor(listen, more));
  const port = await portOf(agent);
  const closedFor = (reason: string) =>
    agent.metric(`agent_input_syslog_closed_connection_total{listen="${listen}",reason="${reason}"}`);
  // A sender whose message never ends: the agent cuts the message, and drops the remaining bytes.
  const endless = await connected({ port });
  for (let at = 0; at < 200; at++)
    endless.write(at === 0 ? `<13>1 - h a - - - ${"x".repeat(50_000)}` : "x".repeat(50_000));
  await expect.poll(async () => (await messagesOf(agent)).map((each) => each.length), patience).toEqual([982]);
  expect(await agent.metric(`agent_input_syslog_cut_message_total{listen="${listen}"}`)).toBe(1);
  // Two unfinished messages together exceed the limit of memory for all connections, so the agent closes one
  // connection.
  const [one, two] = [await connected({ port }), await connected({ port })];
  const further = await connected({ port });
  await once(further, "close");
  await expect.poll(() => closedFor("limit"), patience).toBe(1);
  one.write("y".repeat(900));
  const ended = once(two, "close");
  await new Promise((resolve) => setTimeout(resolve, 100));
  two.write("z".repeat(900));
  await ended;
  await expect.poll(() => closedFor("unfinished"), patience).toBe(1);
  expect((await messagesOf(agent)).length).toBe(1);
  expect(agent.log()).toContain("max_unfinished_bytes");
});

it("closes a connection that sends nothing for long", async () => {
  const listen = "tcp://127.0.0.1:0";
  const agent = await agentOfTest(entryFor(listen, 'idle_timeout = "700ms"'));
  await once(await connected({ port: await portOf(agent) }), "close");
  const closed = `agent_input_syslog_closed_connection_total{listen="${listen}",reason="idle"}`;
  await expect.poll(() => agent.metric(closed), patience).toBe(1);
});

it("stops reading streams and drops datagrams while the queue is full, in bounded memory", {
  timeout: 90_000,
}, async () => {
  const gateway = await startGateway();
  onTestFinished(() => gateway.close());
  gateway.behave(503);
  const limit = "max_waiting_bytes = 65536";
  const agent = await agentOfTest(
    `[gateway]\nurls = ["${gateway.url}?token=tkn_0123456789abcdef"]\nretry_delay = "100ms"\n[gateway.wal]\nmax_capacity_gb = 0.002\n` +
      entryFor("tcp://127.0.0.1:0", limit) +
      entryFor("udp://127.0.0.1:0", limit),
  );
  const [tcp, udp] = [await portOf(agent, 0), await portOf(agent, 1)];
  const socket = await connected({ port: tcp });
  // Random text, because the queue compresses bodies and must still become full.
  const text = () => `x${randomBytes(500).toString("hex")}`;
  const total = 10_000;
  let written = 0;
  const writing = (async () => {
    for (; written < total; written++) {
      if (!socket.write(framed([`${written} ${text()}`]))) await once(socket, "drain");
    }
  })();
  const waits = () => agent.metric('agent_input_wait_total{input="syslog",source="syslog"}');
  await expect.poll(waits, { ...patience, timeout: 60_000 }).toBeGreaterThan(1);
  const stopped = written;
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(written).toBeLessThan(total);
  expect(written - stopped).toBeLessThan(2000);
  const datagrams = 300;
  await sendDatagrams(
    udp,
    Array.from({ length: datagrams }, () => `<13>1 - h udp - - - ${text()}`),
  );
  const dropped = () =>
    agent.metric('agent_input_syslog_dropped_message_total{listen="udp://127.0.0.1:0",reason="full"}');
  await expect.poll(dropped, patience).toBeGreaterThan(0);
  gateway.behave(200);
  await writing;
  const numbers = () => {
    const found = new Set<string>();
    for (const { body } of gateway.taken)
      for (const [, number] of body.toString().matchAll(/message="(\d+) x/g)) found.add(number!);
    return found.size;
  };
  await expect.poll(numbers, { timeout: 60_000, interval: 200 }).toBe(total);
});

it("receives messages of logger, over UDP, TCP with both kinds of frames, and a Unix socket", async (context) => {
  if (!isInstalled("logger")) return context.skip("logger is not installed");
  const folder = mkdtempSync(path.join(tmpdir(), "millrace-logger-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const at = path.join(folder, "log");
  const agent = await agentOfTest(
    entryFor("udp://127.0.0.1:0") + entryFor("tcp://127.0.0.1:0") + entryFor(`unix://${at}`),
  );
  const [udp, tcp] = [await portOf(agent, 0), await portOf(agent, 1)];
  const log = (...args: string[]) => void execFileSync("logger", ["-t", "mytag", "-p", "local3.err", ...args]);
  const to = (port: number) => ["-n", "127.0.0.1", "-P", String(port)];
  log(
    "-d",
    ...to(udp),
    "--rfc5424",
    "--id=77",
    "--msgid",
    "M1",
    "--sd-id",
    "zoo@123",
    "--sd-param",
    'tiger="hungry"',
    "one",
  );
  log("-d", ...to(udp), "--rfc3164", "two");
  log("-T", ...to(tcp), "--rfc5424", "three");
  log("-T", ...to(tcp), "--octet-count", "--rfc3164", "four");
  log("-u", at, "five");
  await expect
    .poll(async () => (await messagesOf(agent)).sort(), patience)
    .toEqual(["five", "four", "one", "three", "two"]);
  const lines = await linesOf(agent);
  for (const line of lines) {
    expect(line).toContain('appname="mytag"');
    expect(line).toContain('facility="local3",severity=3i,status="error"');
    expect(line).toMatch(/^syslog,host=[^ ,=]+ /);
  }
  const one = lines.find((line) => line.includes('message="one"'));
  expect(one).toContain('procid="77",msgid="M1"');
  expect(one).toContain('zoo@123_tiger="hungry"');
});

it("receives messages that rsyslog forwards", { timeout: 60_000 }, async (context) => {
  if (!isInstalled("rsyslogd")) return context.skip("rsyslogd is not installed");
  const agent = await agentOfTest(entryFor("udp://127.0.0.1:0") + entryFor("tcp://127.0.0.1:0"));
  const [udp, tcp] = [await portOf(agent, 0), await portOf(agent, 1)];
  const lines = numbered(0, 2000);
  startRsyslog({ udp, tcp }, lines);
  const messages = async (kind: string) =>
    (await linesOf(agent))
      .filter((line) => line.includes(`appname="${kind}"`))
      .map((line) => /message="([^"]*)"/.exec(line)![1]!);
  for (const kind of ["old", "new", "counted"]) {
    await expect
      .poll(async () => (await messages(kind)).length, patience)
      .toBeGreaterThanOrEqual(kind === "old" ? 1 : 2000);
    const found = await messages(kind);
    if (kind !== "old") expect(found).toEqual(lines);
  }
});

function isInstalled(program: string): boolean {
  const folders = [...(process.env.PATH ?? "").split(":"), "/usr/sbin", "/sbin"];
  return folders.some((folder) => folder !== "" && existsSync(path.join(folder, program)));
}

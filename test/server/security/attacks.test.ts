// Request bodies and scripts that cost far more memory or time than their size suggests. The peak of memory may exceed
// what the agent's settings allow by at most `slackMb` MiB. Each test prints one line with the peak and the delays of
// other clients; the delays have no limit.

import { brotliCompressSync, constants, deflateSync, gzipSync } from "node:zlib";
import { expect, it, onTestFinished } from "vitest";
import { measure } from "../support/attack.ts";
import { startAgent } from "../support/running-agent.ts";
import { zstdZeros } from "../support/zstd-zeros.ts";

/** Memory in MiB that an attack may use in addition to what the settings allow for one client. */
const slackMb = 64;

const large = Buffer.alloc(60_000_000, "x");

it.each([
  ["gzip", () => gzipSync(large, { level: 9 })],
  ["deflate", () => deflateSync(large, { level: 9 })],
  ["br", () => brotliCompressSync(large, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } })],
  ["zstd", () => zstdZeros(large.length, 0x78)],
])(
  "four bodies in %s whose errors would quote 60 MB each cost no more than the bytes in flight",
  async (encoding, pack) => {
    const agent = await startAgent({ config: "[http_api]\nrequest_rate_limit = 0" });
    onTestFinished(() => agent.stop());
    // The first points for a script make the agent start its worker threads. So the test sends such points before the
    // attack: the memory of the threads must not count as memory of the attack.
    const log = { body: "a line" };
    await Promise.all(Array.from({ length: 4 }, () => agent.send("/v1/write/logstreaming?source=nginx", log)));
    const body = pack();
    const headers = { "content-encoding": encoding };
    const attack = {
      name: "errors that quote",
      url: agent.url,
      pid: agent.pid,
      sent: `4 x ${body.length} bytes of ${encoding}`,
    };
    const { peakMb } = await measure(attack, async () => {
      const answers = await Promise.all(
        Array.from({ length: 4 }, () => agent.send("/v1/write/metric", { body, headers })),
      );
      // All bodies come from one client address, which may use only half of the budget for bodies. So the agent refuses
      // some of them with 503.
      for (const { status, body: answer } of answers) {
        expect([400, 503]).toContain(status);
        expect(answer.length).toBeLessThan(2048);
      }
      return answers.map(({ status }) => status).join(" ");
    });
    // A client address may use 128 MiB (`max_inflight_bytes_per_client`), so two bodies of 57 MiB are accepted. The
    // worker thread for large bodies copies one of them into WebAssembly memory; `slackMb` covers this copy.
    expect(peakMb).not.toBeGreaterThan(128 + slackMb);
    expect(agent.exitCode()).toBeNull();
  },
);

it.each([
  ["a bounded repeat in a star", 'grok(_, "(?P<f>.{0,500})*z")', "a".repeat(1000)],
  [
    "a bounded repeat in a group that repeats",
    'add_pattern("W", "\\\\w{0,300}")\ngrok(_, "(?:%{W:f}[ ,]?)*;")',
    "a".repeat(1000),
  ],
])("a regular expression with %s keeps no thread busy for long", async (name, script, text) => {
  const agent = await startAgent({
    config: "[http_api]\nrequest_rate_limit = 0\nworkers = 1",
    scripts: { "logging/attack.p": `${script}\n` },
  });
  onTestFinished(() => agent.stop());
  const attack = { name: `regular expression, ${name}`, url: agent.url, pid: agent.pid, sent: `${text.length} bytes` };
  await measure(attack, async () => {
    const { status } = await agent.send("/v1/write/logging?source=attack", { body: `attack message="${text}" 1` });
    expect(status).toBe(200);
    return String(status);
  });
  expect(agent.exitCode()).toBeNull();
});

/** Returns a script with a loop that runs the given statements `times` times. */
function repeated(statements: string, times: number): string {
  return `for i = 0; i < ${times}; i = i + 1 {\n  ${statements}\n}`;
}

/** A script that sets the variable `s` to a string of 512 KiB. */
const halfMebi = `s = "0123456789abcdef"\n${repeated("s = s + s", 15)}\n`;

it.each([
  ["lists of lists", "l = [1]\nfor i = 0; i < 40; i = i + 1 {\n  l = [l, l]\n}\nadd_key(big, l)"],
  [
    "endless points",
    'for i = 0; i < 100000000; i = i + 1 {\n  create_point("made", {"a": "b"}, {"f": "some text of a field"})\n}',
  ],
  ["repeated replace", 'for i = 0; i < 40; i = i + 1 {\n  replace(message, "x", "xx")\n}'],
  [
    "a long text of three bytes a letter",
    `${repeated('replace(message, "x", "xx")', 10)}\nreplace(message, "x", "${"中".repeat(60_000)}")`,
  ],
  [
    "a long text of a long template",
    `${repeated('replace(message, "x", "xx")', 10)}\nreplace(message, "x", "${"y".repeat(60_000)}")`,
  ],
  ["a text that doubles as one match", repeated('replace(message, "(.*)", "$1$1")', 40)],
  ["a text that a format doubles", repeated('strfmt(message, "%s%s", message, message)', 40)],
  ["the hexadecimal digits of a text", repeated('strfmt(message, "%x%X", message, message)', 40)],
  ["a quoted text", repeated('strfmt(message, "%q%q", message, message)', 40)],
  ["the base64 of a text again and again", `${halfMebi}add_key(a, s)\n${repeated("b64enc(a)", 40)}`],
  ["a mask of a long text again and again", `${halfMebi}${repeated("t = s\ncover(t, [1, 10000000])", 400)}`],
  [
    "fields of three bytes a letter",
    `s = "中中中中"\n${repeated("s = s + s", 13)}\n${repeated("add_key(a, s)", 10_000)}`,
  ],
  ["fields that fill a page", `${halfMebi}s = slice_string(s, 0, 4000)\n${repeated("add_key(a, s)", 100_000)}`],
  [
    "JSON texts of three bytes a letter",
    `s = "中中中中"\n${repeated("s = s + s", 18)}\nl = [s, s, s]\n${repeated("add_key(a, l)", 60)}`,
  ],
  ["JSON of many lists", `s = "[1],"\n${repeated("s = s + s", 19)}\nj = load_json("[" + s + "1]")`],
  ["JSON of many empty texts", `s = "\\"\\"\\"\\""\n${repeated("s = s + s", 21)}\nj = load_json(s)`],
])("a script that makes %s ends with an error that names its statement", async (name, script) => {
  const agent = await startAgent({
    config: "[http_api]\nrequest_rate_limit = 0\nworkers = 1",
    scripts: { "logging/attack.p": `${script}\n` },
  });
  onTestFinished(() => agent.stop());
  const attack = { name: `script, ${name}`, url: agent.url, pid: agent.pid, sent: `${script.length} bytes of script` };
  const { peakMb } = await measure(attack, async () => {
    const { status } = await agent.send("/v1/write/logging?source=attack", { body: 'attack message="x" 1' });
    expect(status).toBe(200);
    return String(status);
  });
  await expect.poll(() => agent.log()).toMatch(/attack\.p:\d+:\d+/);
  // A script may use 64 MiB of memory by default (setting `max_bytes_per_point`). The whole process may use at most
  // `slackMb` MiB in addition to these 64 MiB.
  expect(peakMb).not.toBeGreaterThan(64 + slackMb);
  expect(agent.exitCode()).toBeNull();
});

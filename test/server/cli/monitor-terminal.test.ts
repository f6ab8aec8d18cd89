// `millrace monitor` in a real pseudo terminal of 80 x 24 characters: its output, its keys, and the state in which it
// leaves the terminal.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { displayWidth } from "../../../server/cli/terminal/display-width.ts";
import { type AgentProcess, startAgent } from "../support/running-agent.ts";
import { hasTerminals, openTerminal, type Terminal } from "../support/terminal.ts";

describe.skipIf(!hasTerminals)("millrace monitor in a terminal", () => {
  let agent: AgentProcess;

  beforeAll(async () => {
    agent = await startAgent({ scripts: { "logging/a.p": "add_key(x, 1)" } });
    for (let at = 0; at < 30; at++) {
      await agent.send(`/v1/write/logging?source=a&input=${encodeURIComponent(`日本語${at}`.repeat(9))}`, {
        body: "l v=1i",
      });
    }
    await agent.send("/v1/lasterror", {
      body: JSON.stringify({ input: "cpu", err_content: `boom\u001b[2J${"!".repeat(300)}` }),
    });
  });

  afterAll(() => agent.stop());

  const open = () => openTerminal(["monitor", "--to", new URL(agent.url).host, "--refresh", "1h"], 80, 24);
  const footer = (terminal: Terminal) => terminal.rows().at(-1)!;
  const showsFrom = (terminal: Terminal, first: RegExp) => expect.poll(() => terminal.rows()[0]).toMatch(first);

  it("fits into 80 x 24, scrolls by its keys, and follows the size", async () => {
    const terminal = await open();
    await showsFrom(terminal, /^MILLRACE /);
    const rows = terminal.rows();
    expect(rows).toHaveLength(24);
    for (const row of rows) expect(displayWidth(row), row).toBeLessThanOrEqual(80);
    expect(footer(terminal)).toMatch(
      /^q quit {2}Up Down PgUp PgDn Home End scroll {2}1-\d sections {2}lines 1-23 of \d\d$/,
    );
    const inputs = /^input +points\/s +points +bytes +errors +last write$/;
    expect(rows.find((row) => inputs.test(row))).toBeDefined();

    terminal.type("\x1b[B");
    await showsFrom(terminal, /^requests /);
    terminal.type("\x1b[A");
    await showsFrom(terminal, /^MILLRACE /);
    terminal.type("\x1b[6~");
    await expect.poll(() => footer(terminal)).toContain("lines 24-46 of ");
    terminal.type("\x1b[5~");
    await showsFrom(terminal, /^MILLRACE /);
    terminal.type("2");
    await showsFrom(terminal, /^2 INPUTS$/);
    terminal.type("\x1b[F");
    await expect.poll(() => terminal.rows().at(-2)).toMatch(/ago {2}cpu: boom\\x1b\[2J!+…$/);
    expect(terminal.rows().find((row) => /^\d LAST ERRORS$/.test(row))).toBeDefined();
    terminal.type("\x1b[H");
    await showsFrom(terminal, /^MILLRACE /);

    terminal.resize(60, 10);
    await expect.poll(() => footer(terminal)).toMatch(/^q quit .*…$/);
    const small = terminal.rows();
    expect(small).toHaveLength(10);
    for (const row of small) expect(displayWidth(row), row).toBeLessThanOrEqual(60);
    terminal.type("q");
    expect(await terminal.ended()).toEqual({ code: 0, isAsBefore: true });
  });

  it.each([
    ["q", (terminal: Terminal) => terminal.type("q"), 0],
    ["Ctrl-C", (terminal: Terminal) => terminal.type("\x03"), 0],
    ["SIGINT", (terminal: Terminal) => terminal.signal("SIGINT"), 0],
    ["SIGTERM", (terminal: Terminal) => terminal.signal("SIGTERM"), 0],
    ["SIGHUP", (terminal: Terminal) => terminal.signal("SIGHUP"), 0],
    ["a crash", (terminal: Terminal) => terminal.signal("SIGUSR2"), 1],
  ])("leaves the terminal as it was after %s", async (name, leave, code) => {
    const terminal = await open();
    await showsFrom(terminal, /^MILLRACE /);
    leave(terminal);
    expect(await terminal.ended()).toEqual({ code, isAsBefore: true });
    const [, after] = terminal.written().split("\x1b[?7h\x1b[?25h\x1b[?1049l");
    // The error is printed after the terminal has left the full-screen mode, so that it stays visible.
    expect(after).toEqual(code === 0 ? "" : expect.stringContaining("crashed on purpose"));
    expect(terminal.written().match(/\x1b\[\?1049l/g), name).toHaveLength(1);
  });
});

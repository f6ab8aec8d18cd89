// Runs Debian's rsyslog for a test: it reads lines of a file and forwards them in three ways.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";
import { ended } from "./child.ts";

/**
 * Starts rsyslog, which forwards the lines in three ways until the test ends. Each message has a program name that
 * tells in which way it came: `old` for RFC 3164 over UDP, `new` for RFC 5424 over TCP, and `counted` for RFC 5424 over
 * TCP with octet counting.
 */
export function startRsyslog(ports: { readonly udp: number; readonly tcp: number }, lines: readonly string[]): void {
  const folder = mkdtempSync(path.join(tmpdir(), "millrace-rsyslog-"));
  const at = (name: string) => path.join(folder, name);
  const ways = {
    old: `protocol="udp" port="${ports.udp}" template="RSYSLOG_TraditionalForwardFormat"`,
    new: `protocol="tcp" port="${ports.tcp}" template="RSYSLOG_SyslogProtocol23Format"`,
    counted: `protocol="tcp" port="${ports.tcp}" template="RSYSLOG_SyslogProtocol23Format" TCP_Framing="octet-counted"`,
  };
  const parts = Object.entries(ways).map(([name, action]) => {
    writeFileSync(at(`${name}.txt`), lines.map((line) => `${line}\n`).join(""));
    return `ruleset(name="${name}") { action(type="omfwd" target="127.0.0.1" ${action}) }
input(type="imfile" File="${at(`${name}.txt`)}" Tag="${name}:" Facility="local1" Severity="warning" ruleset="${name}")`;
  });
  const config = `global(workDirectory="${folder}")\nmodule(load="imfile" mode="polling" pollingInterval="1")\n${parts.join("\n")}\n`;
  writeFileSync(at("rsyslog.conf"), config);
  const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` };
  const child = spawn("rsyslogd", ["-n", "-f", at("rsyslog.conf"), "-i", at("pid")], { stdio: "ignore", env });
  onTestFinished(async () => {
    await ended(child, "SIGTERM");
    rmSync(folder, { recursive: true, force: true });
  });
}

// Runs the system commands `ping` and `traceroute` for dial tests, since raw sockets would need special permissions.
// The commands are started without a shell, and only with addresses that were checked.

import { execFile } from "node:child_process";
import { isIP } from "node:net";
import { abortMessage } from "./deadline.ts";
import type { Address } from "./networks.ts";
import { type Hop, spreadOf } from "./result.ts";

/** Thrown when `ping` or `traceroute` is missing, fails or prints output that cannot be parsed. */
export class CommandError extends Error {}

const maxOutputBytes = 1024 * 1024;
const maxMs = 10 * 60 * 1000;

/** Runs the command `ping`. Returns the round-trip times of the answered packets, in microseconds. */
export async function ping(
  to: Address,
  options: { readonly count: number; readonly timeoutMs: number; readonly pauseSeconds: number },
  signal: AbortSignal,
): Promise<number[]> {
  const { count, timeoutMs, pauseSeconds } = options;
  const timeout = String(Math.max(1, Math.ceil(timeoutMs / 1000)));
  const args = [`-${to.family}`, "-n", "-c", String(count), "-i", String(pauseSeconds), "-W", timeout, address(to)];
  const { output, code, errors } = await run("ping", args, signal);
  // The exit code 1 of `ping` means that some packets were not answered, which is no error here.
  if (code > 1) throw new CommandError(`ping: ${firstLine(errors) || `exit code ${code}`}`);
  return pingTimes(output);
}

/**
 * Parses the output of `ping`. Returns the round-trip times in microseconds from lines such as `64 bytes from 10.0.0.1:
 * icmp_seq=1 ttl=64 time=0.287 ms`.
 */
export function pingTimes(output: string): number[] {
  return [...output.matchAll(/^\d+ bytes from .*\btime[=<]([\d.]+) ?ms(?! \(DUP!\))/gm)].map(
    ([, ms]) => Math.round(Number(ms) * 1e6) / 1000,
  );
}

export interface TraceOptions {
  readonly hops: number;
  readonly tries: number;
  readonly timeoutMs: number;
}

export async function traceroute(to: Address, options: TraceOptions, signal: AbortSignal): Promise<Hop[]> {
  const { hops, tries, timeoutMs } = options;
  const wait = String(timeoutMs / 1000);
  const args = [`-${to.family}`, "-n", "-q", String(tries), "-w", wait, "-m", String(hops), address(to)];
  const { output, code, errors } = await run("traceroute", args, signal);
  if (code !== 0) throw new CommandError(`traceroute: ${firstLine(errors) || `exit code ${code}`}`);
  return traceHops(output);
}

/**
 * Parses the output of `traceroute`. Returns the hops from lines such as ` 3  10.0.0.1  1.2 ms  * 10.0.0.2  1.4 ms !H`.
 */
export function traceHops(output: string): Hop[] {
  const hops: Hop[] = [];
  for (const line of output.split("\n")) {
    const words = /^\s*\d+\s+(.*)$/.exec(line)?.[1].split(/\s+/);
    if (words === undefined) continue;
    const items: { ip: string; response_time: number }[] = [];
    let ip = "";
    for (const [at, word] of words.entries()) {
      if (word === "*") items.push({ ip: "*", response_time: 0 });
      else if (isIP(word) !== 0) ip = word;
      else if (words[at + 1] === "ms" && /^[\d.]+$/.test(word)) items.push({ ip, response_time: Number(word) * 1000 });
    }
    if (items.length === 0) continue;
    const costs = items.filter((item) => item.ip !== "*").map((item) => item.response_time);
    const { avg, min, max, std } = spreadOf(costs);
    const failed = items.length - costs.length;
    hops.push({
      total: items.length,
      failed,
      loss: (failed / items.length) * 100,
      avg_cost: avg,
      min_cost: min,
      max_cost: max,
      std_cost: std,
      items,
    });
  }
  return hops;
}

/**
 * Checks an IP address and returns it as a string for the command line of `ping` or `traceroute`. Throws
 * CommandError when the string is no IP address.
 */
function address(to: Address): string {
  if (isIP(to.address.replace(/%.*$/, "")) !== to.family) throw new CommandError(`${to.address} is no address`);
  return to.address.replace(/%.*$/, "");
}

function firstLine(text: string): string {
  return text.trim().split("\n")[0];
}

function run(
  program: string,
  args: readonly string[],
  signal: AbortSignal,
): Promise<{ readonly output: string; readonly errors: string; readonly code: number }> {
  return new Promise((resolve, reject) => {
    const options = {
      signal,
      timeout: maxMs,
      maxBuffer: maxOutputBytes,
      windowsHide: true,
      env: { ...process.env, LC_ALL: "C" },
    };
    execFile(program, args, options, (error, output, errors) => {
      const code = error === null ? 0 : error.code;
      if (typeof code === "number") return resolve({ output, errors, code });
      if ((code as unknown) === "ENOENT") return reject(new CommandError(`the program ${program} is not installed`));
      reject(new CommandError(`${program}: ${abortMessage(signal) ?? error!.message}`));
    });
  });
}

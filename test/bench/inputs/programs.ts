// The programs that are measured: the agent, and rsyslog and syslog-ng when they are installed. Each reads the files
// `*.log` of a folder or receives syslog over UDP, parses nginx lines into fields, and writes them to a file.

import { type ChildProcess, spawn } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { absent, firstLine, program, stop, temporary } from "../http/targets.ts";
import { type Output, outputIn } from "./output.ts";

export interface Program {
  readonly name: string;
  /** The reason why the program is not measured, such as a missing installation; undefined when it can be started. */
  readonly missing: string | undefined;
  /** Starts the program. `udpPort`: the port for syslog; without it the program reads files. */
  start(udpPort?: number): Promise<Running>;
}

export interface Running {
  readonly pid: number;
  /** The folder whose files the program reads. */
  readonly input: string;
  readonly output: Output;
  /** Returns the value of a metric. Programs without metrics lack this function. */
  readonly metric?: (sample: string) => Promise<number>;
  stop(): Promise<void>;
}

const scripts = fileURLToPath(new URL("../../../server/pipelines/logging/nginx.p", import.meta.url));

export const millrace: Program = {
  name: "millrace",
  missing: undefined,
  start: async (udpPort) => {
    const { folder, input } = folders();
    const config = path.join(folder, "agent.toml");
    const entry =
      udpPort === undefined
        ? `[[inputs.tail]]\nfiles = ["${input}/*.log"]\nfrom = "start"`
        : `[[inputs.syslog]]\nlisten = "udp://127.0.0.1:${udpPort}"`;
    // No output file may be deleted during a run, because its inode number could go to a new file. Lines of the new
    // file would then not be counted.
    const output = `[output]\ntotal_bytes = ${100e9}\n`;
    writeFileSync(config, `${entry}\nsource = "nginx"\n[logging]\nlevel = "error"\n${output}`);
    mkdirSync(path.join(folder, "data/pipeline/logging"), { recursive: true });
    copyFileSync(scripts, path.join(folder, "data/pipeline/logging/nginx.p"));
    const data = path.join(folder, "data");
    const args = [program, "agent", "--listen", "127.0.0.1:0", "--data-dir", data, "--config", config];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    const url = /http:\S+/.exec(await firstLine(child))![0];
    return {
      pid: child.pid!,
      input,
      output: outputIn(path.join(data, "output"), (name) => name.startsWith("logging.")),
      metric: async (sample) => {
        const text = await (await fetch(`${url}/metrics`)).text();
        const line = text.split("\n").find((each) => each.startsWith(`${sample} `));
        return line === undefined ? 0 : Number(line.slice(sample.length + 1));
      },
      stop: () => stop(folder, child),
    };
  },
};

/** The rule by which liblognorm (a parser of rsyslog) parses a line of an access log. */
const rule = [
  "%client_ip:word% %ident:word% %user:word% [%time:char-to:]%]",
  '"%http_method:word% %http_url:word% HTTP/%http_version:char-to:"%"',
  '%status_code:number% %bytes:number% "%referrer:char-to:"%" "%user_agent:char-to:"%"',
].join(" ");

const rsyslog: Program = {
  name: "rsyslog",
  missing: absentIn("rsyslogd", "rsyslog"),
  start: async (udpPort) => {
    const { folder, input } = folders();
    // For a message over UDP, rsyslog puts a space before the text of the message. So the rule begins with a space.
    writeFileSync(path.join(folder, "nginx.rb"), `version=2\nrule=:${udpPort === undefined ? "" : " "}${rule}\n`);
    const source =
      udpPort === undefined
        ? `module(load="imfile" mode="inotify")
input(type="imfile" File="${input}/*.log" Tag="nginx:" ruleset="nginx")`
        : `module(load="imudp")
input(type="imudp" address="127.0.0.1" port="${udpPort}" ruleset="nginx")`;
    const config = path.join(folder, "rsyslog.conf");
    writeFileSync(
      config,
      `global(workDirectory="${folder}" maxMessageSize="64k")
module(load="mmnormalize")
template(name="fields" type="string" string="%$!all-json%\\n")
ruleset(name="nginx" queue.type="LinkedList" queue.size="100000") {
  action(type="mmnormalize" ruleBase="${folder}/nginx.rb")
  action(type="omfile" file="${folder}/out.log" template="fields" asyncWriting="off" ioBufferSize="64k" flushOnTXEnd="on")
}
${source}
`,
    );
    const args = ["-n", "-f", config, "-i", path.join(folder, "pid")];
    return running(spawn("rsyslogd", args, { stdio: ["ignore", "inherit", "inherit"] }), folder, input);
  },
};

/** The expression by which syslog-ng parses a line of an access log. */
const expression = [
  "^(?<client_ip>\\S+) (?<ident>\\S+) (?<user>\\S+) \\[(?<time>[^\\]]+)\\]",
  '"(?<http_method>\\S+) (?<http_url>\\S+) HTTP/(?<http_version>[^"]+)"',
  '(?<status_code>\\d+) (?<bytes>\\d+) "(?<referrer>[^"]*)" "(?<user_agent>[^"]*)"',
].join(" ");

const syslogNg: Program = {
  name: "syslog-ng",
  missing: absentIn("syslog-ng", "syslog-ng-core"),
  start: async (udpPort) => {
    const { folder, input } = folders();
    const config = path.join(folder, "syslog-ng.conf");
    const source =
      udpPort === undefined
        ? `wildcard-file(base-dir("${input}") filename-pattern("*.log") flags(no-parse) follow-freq(0.1) log-iw-size(100000) log-fetch-limit(10000))`
        : `network(ip("127.0.0.1") port(${udpPort}) transport("udp") log-iw-size(100000) so-rcvbuf(16777216))`;
    writeFileSync(
      config,
      `@version: 3.38
source s { ${source}; };
parser p { regexp-parser(patterns('${expression}')); };
destination d { file("${folder}/out.log" template("$(format-json --scope nv-pairs)\\n") log-fifo-size(1000000)); };
log { source(s); parser(p); destination(d); flags(flow-control); };
`,
    );
    const files = ["-f", config, "-R", `${folder}/persist`, "-c", `${folder}/control`, "-p", `${folder}/pid`];
    const child = spawn("syslog-ng", ["-F", "--no-caps", ...files], { stdio: ["ignore", "inherit", "inherit"] });
    return running(child, folder, input);
  },
};

export const programs: readonly Program[] = [millrace, rsyslog, syslogNg];

function absentIn(name: string, debian: string): string | undefined {
  return absent(name)?.replace(/install .*\)/, `install ${debian})`);
}

function folders(): { readonly folder: string; readonly input: string } {
  const folder = temporary();
  const input = path.join(folder, "input");
  mkdirSync(input);
  return { folder, input };
}

async function running(child: ChildProcess, folder: string, input: string): Promise<Running> {
  // Waits for two seconds, because rsyslog and syslog-ng do not report when they are ready.
  await new Promise((resolve) => setTimeout(resolve, 2000));
  if (child.exitCode !== null) throw new Error(`${child.spawnfile} ended with ${child.exitCode}`);
  const output = outputIn(folder, (name) => name === "out.log");
  return { pid: child.pid!, input, output, stop: () => stop(folder, child) };
}

/**
 * Returns the largest resident memory of a process so far, in MiB; undefined when the operating system does not report
 * it.
 */
export function peakMiB(pid: number): number | undefined {
  try {
    return Number(/VmHWM:\s*(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]) / 1024;
  } catch {
    return undefined;
  }
}

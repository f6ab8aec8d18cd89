// The texts of `--help`.

import { type Setting, schema } from "../config/schema.ts";

export const usage = `Millrace turns raw logs, metrics and events into clean points.

Usage: millrace <command> [options]

Commands:
  start               start the agent with defaults (the same as agent)
  agent               start the agent: takes points over HTTP, runs scripts, forwards the result
  pipeline run        run a script over lines from standard input
  config              check a configuration file, or write one with all defaults
  queue               look at what waits to be sent, replay or drop it
  monitor             watch a running agent: throughput, queue, uploads, scripts, errors
  doctor              look for what keeps an agent from working: config, port, gateway, clock, disk

Options:
  --help              this text, or the text of a command: millrace agent --help
  --version           the version

Examples:
  millrace start
  millrace agent --listen 127.0.0.1:9529 --data-dir ./millrace-data --config agent.toml
  millrace pipeline run nginx.p --category logging --format json < access.log
`;

export const agentUsage = `Usage: millrace agent [--listen HOST:PORT] [--data-dir DIR] [--config FILE]

Starts the agent. Without a gateway in the configuration, points are appended to DIR/output/<category>.lp.

Options:
  --listen HOST:PORT  address of the HTTP interface, or the path of a Unix socket (${schema["http_api.listen"].default})
  --data-dir DIR      folder of scripts (DIR/pipeline) and output (${schema.data_dir.default})
  --config FILE       configuration in TOML; the environment wins over it, options win over both

SIGHUP reads the configuration again; one with a mistake changes nothing. SIGTERM sends what is due, then ends.

Examples:
  millrace agent
  millrace agent --listen 0.0.0.0:9529 --data-dir /var/lib/millrace
  ENV_GATEWAY=http://gateway:9528 millrace agent --config agent.toml

Settings (key, environment variable, default):
${settingLines()}
`;

export const pipelineUsage = `Usage: millrace pipeline run SCRIPT.p [--category NAME] [--format json|lp|pbjson] < FILE

Runs a script over standard input and prints one resulting point per line. For logging each input line is one message;
for the other categories the input is line protocol. Scripts beside SCRIPT.p can be called with use().

Options:
  --category NAME     logging, metric, object, ... (logging)
  --format FORMAT     json, lp or pbjson (json)

Examples:
  millrace pipeline run nginx.p < /var/log/nginx/access.log
  millrace pipeline run cpu.p --category metric --format lp < points.lp

The exit code is 1 when the script has an error, or fails on a point; errors go to standard error as
file:line:column: message, with the line of the script.
`;

export const configUsage = `Usage: millrace config check FILE
       millrace config init [FILE]

  check               reads the file and the environment as the agent would; names each mistake with its line
  init                writes a file that shows every setting with its default, commented out (without FILE: prints it)

Examples:
  millrace config init agent.toml
  millrace config check agent.toml
`;

export const queueUsage = `Usage: millrace queue ls | replay | drop WHAT [--data-dir DIR] [--category NAME]

  ls                  what waits to be sent, by category, and what gateways refused (dead letters)
  replay              put dead letters back into the queue, all or those of --category
  drop dead-letters   delete the dead letters
  drop CATEGORY       delete the points of a category that wait to be sent

ls works at any time; for the others the agent must be stopped.

Examples:
  millrace queue ls
  millrace queue replay --category logging --data-dir /var/lib/millrace
  millrace queue drop dead-letters
`;

export const monitorUsage = `Usage: millrace monitor [--to HOST:PORT] [--refresh 5s] [--width N] [--once]

Shows what a running agent does, read from its /metrics: points per category, queue and its age, uploads, scripts, calls,
last errors. In a terminal the page is drawn anew until q or Ctrl-C; elsewhere each look is a frame of plain text.

Options:
  --to HOST:PORT      the agent, or the path of its Unix socket (${schema["http_api.listen"].default})
  -R, --refresh TIME  time between two looks, at least 1s (5s)
  -W, --width N       columns; longer lines are cut (the terminal's)
  --once              one frame, then the end; exit code 1 when there is no answer

Examples:
  millrace monitor
  millrace monitor --to 10.0.0.7:9529 --refresh 1s
  millrace monitor --once | grep -A20 QUEUE
`;

export const doctorUsage = `Usage: millrace doctor [--config FILE] [--data-dir DIR] [--listen HOST:PORT]

Looks at what an agent with these options needs and says what it finds, one line each: the configuration can be used, its
port is free or an agent answers there, the gateways answer and take the token, the clock agrees with theirs, the data
folder can be written and has room. The exit code is 1 when something fails.

Examples:
  millrace doctor
  millrace doctor --config agent.toml
`;

function settingLines(): string {
  const rows = (Object.entries(schema) as [string, Setting][]).map(([name, setting]) => {
    const value = JSON.stringify(setting.default);
    return `  ${name}${setting.env === undefined ? "" : ` (${setting.env})`} = ${value}\n      ${setting.summary}`;
  });
  return rows.join("\n");
}

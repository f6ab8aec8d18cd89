// The help texts that `--help` prints for commands that inspect, test or call a running service, such as
// `millrace monitor`.

import { schema } from "../../config/schema.ts";
import { modules } from "../../telemetry/status/view.ts";

const moduleNames = Object.entries(modules)
  .map(([name, short]) => `${name} (${short})`)
  .join(", ");

export const keyUsage = `Usage: millrace key create --workspace NAME [--name NAME] [--role ROLE]... [--data-dir DIR] [--config FILE]
       millrace key ls [--workspace NAME]
       millrace key revoke KEY

API keys open the platform's Open API (header DF-API-KEY) to one workspace. They work while the platform runs.

  create              makes a key and, with a name that is new, a workspace. The key is the last line that is printed, and
                      shown this once. The first workspace has the points of this machine; any other one is given a token
                      of its own, with which agents write to it
  ls                  the keys, without their secrets
  revoke              the key with this identifier (wsak_...) opens nothing from now on

Options:
  --workspace NAME    the workspace
  --name NAME         what the key is called (key)
  --role ROLE         owner, wsAdmin, general or readOnly; may be given several times (wsAdmin)
  --data-dir DIR      that of the platform (${schema.data_dir.default})
  --config FILE       that of the platform, where [store] url is set

Examples:
  millrace key create --workspace web --data-dir /var/lib/millrace
  curl -H "DF-API-KEY: $(millrace key create --workspace web | tail -1)" localhost:9527/api/v1/dashboard/list
  millrace key revoke wsak_0123456789abcdef0123456789abcdef
`;

export const dashboardUsage = `Usage: millrace dashboard list [--ready] [--to HOST:PORT] [--ca FILE] [--key KEY] [--host HOST:PORT]
       millrace dashboard import NAME|FILE [--name NAME]
       millrace dashboard export UUID

Dashboards of the platform, asked for through a running agent, as its page does. An agent of millrace start needs no key; any
other one uses that of [http_api.open_api].

  list                the dashboards of the workspace, the one that was changed last first
  import NAME|FILE    makes a new dashboard: a ready one by its name, or of a file that export wrote; a ready one goes first
  export UUID         the dashboard with this identifier (dsbd_...) as JSON

Options:
  --ready             list: the ready dashboards, and the points that each needs; asks nobody
  --name NAME         import: what the dashboard is called (the title of the template)
  --to HOST:PORT      the agent, https://HOST:PORT of one with TLS, or the path of its Unix socket (${schema["http_api.listen"].default})
  --ca FILE           the certificate authorities (PEM) that the agent's certificate is checked by (those of the system)
  --host HOST:PORT    a platform in place of the agent; needs a key
  --key KEY           API key of the platform, or file:PATH of a file with it (the environment variable DF_API_KEY)

Examples:
  millrace dashboard list --ready
  millrace dashboard import nginx
  millrace dashboard list
  millrace dashboard export dsbd_541083cc19ec4d27ad597839a0477a97 > nginx.json
  millrace dashboard import nginx.json --name 'nginx, staging'
`;

export const dqlUsage = `Usage: millrace dql [STATEMENT] [--json|--csv] [--explain] [--host HOST:PORT] [--token TOKEN] [--data-dir DIR]

Asks the platform and prints a table for each series. Without a statement: a prompt with completion (Tab) and history
(DIR/dql_history); from a pipe, a statement a line.

Options:
  --json              the answer as it came
  --csv               one table of all series as CSV, times in ms since 1970; warnings go to standard error
  --explain           before the rows the plan, and the statement as the store ran it
  --host HOST:PORT    the platform (${schema["platform.listen"].default})
  --token TOKEN       of the workspace (that in DIR/platform/token)
  --data-dir DIR      (${schema.data_dir.default})
  --guide FILE        prints the user's guide with its tables and results filled in; asks nothing

Examples:
  millrace dql 'L::nginx:(count(*)) BY status_code'
  millrace dql 'M::cpu:(avg(usage_total)) [1h::5m] BY host' --explain
  millrace dql 'show_measurement()' --json
  millrace dql 'M::cpu:(avg(usage_total)) [1d::1h] BY host' --csv > cpu.csv
  millrace dql
`;

export const configUsage = `Usage: millrace config check FILE
       millrace config init [FILE]

  check               reads the file and the environment as the agent would; names each mistake with its line
  init                writes a file that shows every setting with its default, commented out (without FILE: prints it)

Examples:
  millrace config init agent.toml
  millrace config check agent.toml
`;

export const queueUsage = `Usage: millrace queue ls | replay | drop WHAT [--data-dir DIR] [--config FILE] [--category NAME] [--gateway]

  ls                  what waits to be sent, and what was refused (dead letters); of a gateway too, by target
  replay              put dead letters back into the queue, all or those of --category
  drop dead-letters   delete the dead letters
  drop CATEGORY       delete the points of a category that wait to be sent

ls works at any time; for the others the agent must be stopped. Of an agent in several processes ([http_api] processes) they look
at the queues of all of them. With --gateway they look at the gateway's queues, where the names that ls shows stand in place of
categories. --config FILE names the service's configuration: its data_dir, and [gateway.wal] path where the agent's queue lies elsewhere;
--data-dir goes before data_dir.

Examples:
  millrace queue ls
  millrace queue ls --config agent.toml
  millrace queue replay --category logging --data-dir /var/lib/millrace
  millrace queue drop dead-letters --gateway
`;

/**
 * Returns the help text of the options that say which running agent a command asks. `given`: the default
 * address.
 */
const placeUsage = (given: string) =>
  `  --to HOST:PORT      the agent, https://HOST:PORT of one with TLS, or the path of its Unix socket (${given})
  --ca FILE           the certificate authorities (PEM) that the agent's certificate is checked by (those of the system)
`;

export const monitorUsage = `Usage: millrace monitor [--to HOST:PORT] [--ca FILE] [--refresh 5s] [--modules LIST] [--width N] [--once]

Shows what a running agent does, read from its /metrics: points per category and input, queue and its age, uploads, scripts, calls,
last errors. In a terminal the page is drawn anew and scrolls; elsewhere each look is a frame of plain text. A browser shows the same
at http://HOST:PORT/monitor.

Keys:
  Up, Down            one line
  PageUp, PageDown    one screen
  Home, End           the first line, the last one
  1 to 9              the section with this number
  q, Ctrl-C           the end

Options:
${placeUsage(schema["http_api.listen"].default)}  -R, --refresh TIME  time between two looks, at least 1s (5s)
  -M, --modules LIST  only these parts: ${moduleNames}
  -W, --width N       columns; longer lines are cut (the terminal's)
  --once              one frame, then the end; exit code 1 when there is no answer

Examples:
  millrace monitor
  millrace monitor --to 10.0.0.7:9529 --refresh 1s
  millrace monitor --once | grep -A20 QUEUE
`;

export const doctorUsage = `Usage: millrace doctor [--config FILE] [--data-dir DIR] [--listen HOST:PORT] [--to HOST:PORT] [--ca FILE]

Looks at what an agent with these options needs and says what it finds, one line each: the configuration can be used, its
port is free or an agent answers there, no service here hears of clients from a proxy that trusted_proxies does not name, the
gateways answer and take the token of an upload without points, or where else the agent that runs brings its points, the clock agrees
with the gateways, the data folder can be written and has room. The exit code is 1 when something fails.

Options:
  --config FILE       the agent's configuration (defaults and environment)
  --data-dir DIR      goes before its data_dir
  --listen HOST:PORT  goes before its [http_api] listen
${placeUsage("that of the configuration")}
With --to that agent has to answer; its certificate is checked.

Examples:
  millrace doctor
  millrace doctor --config agent.toml
  millrace doctor --config agent.toml --to https://10.0.0.7:9529 --ca ca.pem
`;

export const debugUsage = `Usage: millrace debug --filter RULES --data POINTS

Says of each point which filter drops it, and how long that took to find out. Both are files or the text itself.

Options:
  --filter RULES      JSON: conditions by category, as [io.filters] has them or a gateway answers
  --data POINTS       line protocol; it does not tell a category, so the rules of all of them are tried

Examples:
  millrace debug --filter '{"logging": ["{ source = \\"nginx\\" and status = \\"debug\\" }"]}' --data 'nginx status="debug"'
  millrace debug --filter rules.json --data points.lp

The exit code is 255 when the rules or the points have a mistake.
`;

export const toolUsage = `Usage: millrace tool --parse-lp FILE [--json] [--category NAME]
       millrace tool --default-main-conf

  --parse-lp FILE       reads line protocol and says how many points, measurements and time series it holds
  --json                prints the points as JSON
  --category NAME       the points are corrected as those of this category (network, which changes little)
  --default-main-conf   prints the configuration with all defaults, as config init does

Examples:
  millrace tool --parse-lp points.lp
  millrace tool --parse-lp points.lp --json | jq '.[0]'

The exit code is 255 when a line has a mistake.
`;

export const tailUsage = `Usage: millrace tail FILE... [--script NAME] [--lines N] [--once] [--json] [--to URL] [--config FILE]

Follows log files and shows what a script makes of their lines: in a terminal a live table, elsewhere one line for each log. The
script is the bundled one that fits most of the first lines. A file that is replaced or emptied is read on.

Options:
  --script NAME       a script in place of the one that fits: a bundled one such as nginx, or a file (web.p)
  -n, --lines N       begins with the last N lines, or with all of them (10)
  --once              ends at the end of the files
  --json              one point a line, as JSON
  --to URL            sends the points to an agent, a gateway or a platform: http(s)://host:port[?token=...]
  --config FILE       the agent's configuration (defaults and environment)

Keys of the table: q or Ctrl-C ends it.

Examples:
  millrace tail --once access.log
  millrace tail --once --lines all --script nginx --json access.log | jq .fields.status_code
  millrace tail --once --lines all --to http://localhost:9529 access.log
  millrace tail /var/log/nginx/access.log
`;

export const importUsage = `Usage: millrace import -P FOLDER -D URL

Sends the points of files again, all moved by the same time so that the latest of them is of now. Points that an agent without
a gateway has written (DIR/output) can be sent so.

Options:
  -P, --path FOLDER       files named after their category (logging.lp, metric.1.pbjson), or in folders named so;
                          .lp, .json, .pbjson or .pb
  -D, --destination URL   an agent, a gateway or a platform: http(s)://host:port[?token=...]

Examples:
  millrace import -P millrace-data/output -D http://localhost:9529
  millrace import -P recorded -D 'http://gateway:9528?token=tkn_...'

A destination that answers 429 or 503 is asked again for a while. The exit code is 255 when it refuses, and what was not
sent is not sent.
`;

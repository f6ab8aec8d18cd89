// The texts of `--help`.

import { type Setting, schema } from "../config/schema.ts";
import { modules } from "../monitor/state.ts";

const moduleNames = Object.entries(modules)
  .map(([name, short]) => `${name} (${short})`)
  .join(", ");

export const usage = `Millrace turns raw logs, metrics and events into clean points.

Usage: millrace <command> [options]

Commands:
  start               start agent, gateway and platform with defaults, in one process
  agent               start the agent: takes points over HTTP, runs scripts, forwards the result
  gateway             start the gateway: routes points to workspaces by sink rules; check and explain the rules
  platform            start the platform: keeps points and answers queries about them
  key                 API keys of the platform: create, list, revoke
  dql                 ask the platform: millrace dql 'L::nginx:(count(*)) BY status_code'
  pipeline            run, check, format, test, trace and measure scripts
  config              check a configuration file, or write one with all defaults
  queue               look at what waits to be sent, replay or drop it
  monitor             watch a running agent: throughput, queue, uploads, scripts, errors
  doctor              look for what keeps an agent from working: config, port, gateway, clock, disk
  debug               which filter drops which point
  tool                check a file of line protocol; print the configuration with all defaults
  import              send recorded points again, as if they were of now

Options:
  --help              this text, or the text of a command: millrace agent --help
  --version           the version

Examples:
  millrace start
  millrace agent --listen 127.0.0.1:9529 --data-dir ./millrace-data --config agent.toml
  millrace pipeline run nginx.p --category logging --format json < access.log
`;

export const startUsage = `Usage: millrace start [--listen HOST:PORT] [--gateway-listen HOST:PORT|none] [--platform-listen HOST:PORT|none]
                      [--data-dir DIR] [--config FILE] [--sinker FILE]

Starts agent, gateway and platform in one process. Where [gateway] urls names no other place, the agent's points go to the
platform, where millrace dql and POST /v1/query/raw ask for them; without a platform they are appended to
DIR/output/<category>.lp. The gateway routes by FILE, or by DIR/gateway/sinker.json as soon as that is there; until then it
refuses what it cannot route.

Options:
  --listen HOST:PORT           address of the agent (${schema["http_api.listen"].default})
  --gateway-listen HOST:PORT   address of the gateway (${schema["gateway_api.listen"].default}); none = no gateway
  --platform-listen HOST:PORT  address of the platform (${schema["platform.listen"].default}); none = no platform
  --data-dir DIR               folder of scripts, points and queues (${schema.data_dir.default})
  --config FILE                configuration in TOML; the environment wins over it, options win over both
  --sinker FILE                sink rules of the gateway

SIGHUP reads configuration and sink rules again. SIGTERM sends what is due, then ends.

Examples:
  millrace start
  millrace start --listen 0.0.0.0:9529 --gateway-listen none
`;

export const platformUsage = `Usage: millrace platform [--listen HOST:PORT] [--data-dir DIR] [--config FILE] [--seed FILE]

Starts the platform: takes points of agents and gateways (POST /v1/write/:category), answers DQL (POST /v1/query/raw). The
token of a request names its workspace: that of this machine lies in DIR/platform/token, more are [platform] tokens.

Options:
  --listen HOST:PORT  (${schema["platform.listen"].default})
  --data-dir DIR      points are kept in DIR/platform (${schema.data_dir.default})
  --config FILE       configuration in TOML, table platform; the environment wins over it
  --seed FILE         workspaces and API keys to begin with, those that are there already stay as they are; JSON:
                      {"workspaces": [{"uuid": "wksp_...", "name": "web"}],
                       "keys": [{"sk": SECRET, "uuid": "wsak_...", "name": "ci", "workspaceUUID": "wksp_...", "roles": ["wsAdmin"]}]}

Examples:
  millrace platform --listen 0.0.0.0:9527 --data-dir /var/lib/millrace
  ENV_GATEWAY="http://platform:9527?token=$(cat /var/lib/millrace/platform/token)" millrace agent
`;

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

export const dqlUsage = `Usage: millrace dql [STATEMENT] [--json] [--explain] [--host HOST:PORT] [--token TOKEN] [--data-dir DIR]

Asks the platform and prints a table for each series. Without a statement: a prompt with completion (Tab) and history
(DIR/dql_history); from a pipe, a statement a line.

Options:
  --json              the answer as it came
  --explain           before the rows the plan, and the statement as the store ran it
  --host HOST:PORT    the platform (${schema["platform.listen"].default})
  --token TOKEN       of the workspace (that in DIR/platform/token)
  --data-dir DIR      (${schema.data_dir.default})
  --guide FILE        prints the user's guide with its tables and results filled in; asks nothing

Examples:
  millrace dql 'L::nginx:(count(*)) BY status_code'
  millrace dql 'M::cpu:(avg(usage_total)) [1h::5m] BY host' --explain
  millrace dql 'show_measurement()' --json
  millrace dql
`;

export const gatewayUsage = `Usage: millrace gateway [--listen HOST:PORT] [--data-dir DIR] [--sinker FILE] [--config FILE]
       millrace gateway check FILE
       millrace gateway explain FILE [--header 'X-Global-Tags: k=v,k=v'] [--path PATH] [--first]
       millrace gateway explain FILE --tags FILE [--category NAME] [--functions DIR] < POINTS

Starts the gateway: each request goes to the workspaces whose rules fit its header X-Global-Tags. What a workspace does not
take now is kept in DIR/gateway/queue and sent again; what it refuses is kept as a dead letter (millrace queue ls).

  check               what is wrong with a file of sink rules
  explain             where a request with this header goes, and why: each rule, each comparison with the value it saw.
                      With --tags: the header of each point (line protocol on standard input) that these rules
                      generate, why each shard key is there or not, then where the point goes

Options:
  --listen HOST:PORT  (${schema["gateway_api.listen"].default})
  --data-dir DIR      the gateway keeps its queue in DIR/gateway (${schema.data_dir.default})
  --sinker FILE       sink rules (DIR/gateway/sinker.json when it is there); a change is seen at once
  --config FILE       configuration in TOML, tables gateway_api and sinker; the environment wins over it
  --header TEXT       with or without the name (no keys)
  --path PATH         of the request (/v1/write/keyevent, or that of --category)
  --first             as for requests that need one answer: only the first entry that fits
  --tags FILE         rules that generate the header, JSON or YAML
  --category NAME     of the points (keyevent)
  --functions DIR     modules of functions that generate the header (DIR/gateway/functions)

SIGHUP reads the rules again; a file with a mistake changes nothing. SIGTERM sends what is due, then ends.

Examples:
  millrace gateway --listen 0.0.0.0:9528 --data-dir /var/lib/millrace --sinker sinker.json
  millrace gateway check sinker.json
  millrace gateway explain sinker.json --header 'X-Global-Tags: host=web-001,env=prod'
  echo 'keyevent,host=web-001 title="x"' | millrace gateway explain sinker.json --tags tags.yaml
`;

export const agentUsage = `Usage: millrace agent [--listen HOST:PORT] [--data-dir DIR] [--config FILE] [--pid-file FILE] [--max-run-duration TIME]

Starts the agent. Without a gateway in the configuration, points are appended to DIR/output/<category>.lp.

Options:
  --listen HOST:PORT  address of the HTTP interface, or the path of a Unix socket (${schema["http_api.listen"].default})
  --data-dir DIR      folder of scripts (DIR/pipeline) and output (${schema.data_dir.default})
  --config FILE       configuration in TOML; the environment wins over it, options win over both
  --pid-file FILE     holds the process id while the agent runs
  --max-run-duration TIME
                      the agent ends by itself after this time, such as 12h, as SIGTERM would end it

SIGHUP reads the configuration again; one with a mistake changes nothing. SIGTERM sends what is due, then ends.

Examples:
  millrace agent
  millrace agent --listen 0.0.0.0:9529 --data-dir /var/lib/millrace
  ENV_GATEWAY=http://gateway:9528 millrace agent --config agent.toml

Settings (key, environment variable, default):
${settingLines()}
`;

export const pipelineUsage = `Usage: millrace pipeline VERB ...

  run SCRIPT.p        run a script over standard input
  check FILE...       all mistakes of scripts
  fmt FILE...         scripts in their one layout
  test DIR|FILE...    run the tests beside scripts
  trace SCRIPT.p      every statement that is run, with what it changed
  repl [MESSAGE]      write a script line by line
  bench SCRIPT.p      lines per second, time by statement
  docs [NAME]         the built-in functions

millrace pipeline VERB --help tells more. Without a verb, one script over one input:

  -P NAME             the script: a file, or one of the data folder, or a ready one (nginx.p)
  -T TEXT | -F FILE   the input: a message, or for other categories a point as line protocol
  -C CATEGORY         logging, metric, object, ... (logging)
  -N NAMESPACE        default, gitrepo or remote (default)
  --data-dir DIR      where the agent keeps its scripts (that of the configuration, ${schema.data_dir.default})
  --config FILE       the agent's configuration: reference tables, database of addresses, rules of http_request
  --tab               a line per key instead of JSON
  --date              the time as a date instead of nanoseconds

Examples:
  millrace pipeline -P redis.p -T '1:M 21 Nov 2025 10:00:00.123 * Ready to accept connections'
  millrace pipeline run nginx.p < /var/log/nginx/access.log
  millrace pipeline check pipeline/
  millrace pipeline fmt --write pipeline/*.p
  millrace pipeline test pipeline/ --watch
`;

export const runUsage = `Usage: millrace pipeline run SCRIPT.p [--category NAME] [--format json|lp|pbjson] < FILE

Runs a script over standard input and prints one resulting point per line. For logging each input line is one message;
for the other categories the input is line protocol. Scripts beside SCRIPT.p can be called with use().

Options:
  --category NAME     logging, metric, object, ... (logging)
  --format FORMAT     json, lp or pbjson (json)
  --config FILE       the agent's configuration: reference tables, database of addresses, rules of http_request

Examples:
  millrace pipeline run nginx.p < /var/log/nginx/access.log
  millrace pipeline run cpu.p --category metric --format lp < points.lp

The exit code is 1 when the script has an error, or fails on a point; errors go to standard error as
file:line:column: message, with the line of the script.
`;

export const checkUsage = `Usage: millrace pipeline check FILE|DIR... [--central]

Prints all mistakes of the scripts, and what is legal but surely not meant, as file:line:column: message with the line.
Of a folder all *.p below it are checked. Scripts find those beside them with use(). The exit code is 1 when there is an
error.

  --central   warn of calls that have no effect when a platform runs the scripts: create_point, agg_create, ...

Examples:
  millrace pipeline check nginx.p
  millrace pipeline check pipeline/
`;

export const fmtUsage = `Usage: millrace pipeline fmt FILE|DIR... [--check|--write]

Lays scripts out in the one way: four spaces per level, a statement per line, one space around operators, 100 columns.
Comments and meaning stay. Without an option the result is printed; - reads standard input.

Options:
  --check             name the files that are laid out otherwise; the exit code is then 1
  --write             change the files, name those that were changed

Examples:
  millrace pipeline fmt nginx.p
  millrace pipeline fmt --write pipeline/
  millrace pipeline fmt --check pipeline/*.p
`;

export const testUsage = `Usage: millrace pipeline test DIR|FILE... [--watch]

Runs the tests in *.test.yaml (or .json) files beside scripts and prints what differs: "-" what was expected, "+" what
came. nginx.test.yaml tests nginx.p:

  now: 2026-01-02T03:04:05Z         the clock (2026-01-01T00:00:00Z); also category, timezone, script
  tests:
    - name: a request
      input: 10.0.0.1 GET /a 200    a message; for other categories line protocol; or measurement, tags, fields, time
      expect:                       all that the script changes, nothing else
        fields: { client: 10.0.0.1, method: GET, status_code: 200 }
        removed: [message]
        time: 2026-01-02T03:04:00Z
    - name: health checks go
      input: 10.0.0.1 GET /health 200
      expect: { dropped: true }     also: measurement, tags, created (a list of points), error (part of its text)

Options:
  --watch             run them again whenever a file beside them changes

Examples:
  millrace pipeline test pipeline/
  millrace pipeline test nginx.test.yaml --watch

The exit code is 1 when a test fails.
`;

export const traceUsage = `Usage: millrace pipeline trace SCRIPT.p [--category NAME] < FILE

Runs a script over standard input and prints every statement with what it changed: keys set, removed and renamed,
variables, the branch of an if, drops, errors. Input as for run.

Options:
  --category NAME     logging, metric, object, ... (logging)
  --config FILE       the agent's configuration: reference tables, database of addresses, rules of http_request

Examples:
  tail -1 /var/log/nginx/access.log | millrace pipeline trace nginx.p
  millrace pipeline trace cpu.p --category metric < points.lp

The exit code is 1 when the script has an error, or fails on a point.
`;

export const replUsage = `Usage: millrace pipeline repl [MESSAGE]

Takes statements one by one, runs them over a log with this message, and prints what each changed, or its value. An
entry may take several lines: it goes on while a bracket is open. Tab completes functions, their parameters, keys of
the point, variables and grok patterns; Ctrl+C drops what is being written. .help lists the commands.

Options:
  --config FILE       the agent's configuration: reference tables, database of addresses, rules of http_request

Examples:
  millrace pipeline repl '10.0.0.1 GET /a 200'
  > grok(_, "%{IP:client} %{WORD:method}")
    client = "10.0.0.1"
    method = "GET"
    true
  > len(method) + 1
    4
`;

export const benchUsage = `Usage: millrace pipeline bench SCRIPT.p [--category NAME] [--seconds N] < FILE

Runs a script over standard input again and again, as the agent does, and prints points per second, nanoseconds per
point and per statement, and which statements take the time. Input as for run.

Options:
  --category NAME     logging, metric, object, ... (logging)
  --seconds N         how long (3)
  --config FILE       the agent's configuration: reference tables, database of addresses, rules of http_request

Examples:
  millrace pipeline bench nginx.p < /var/log/nginx/access.log
  millrace pipeline bench cpu.p --category metric --seconds 10 < points.lp
`;

export const docsUsage = `Usage: millrace pipeline docs [NAME] [--markdown]

Lists the built-in functions, or tells about one: parameters and examples.

Options:
  --markdown          the whole reference as one page of Markdown

Examples:
  millrace pipeline docs
  millrace pipeline docs kv_split
`;

export const configUsage = `Usage: millrace config check FILE
       millrace config init [FILE]

  check               reads the file and the environment as the agent would; names each mistake with its line
  init                writes a file that shows every setting with its default, commented out (without FILE: prints it)

Examples:
  millrace config init agent.toml
  millrace config check agent.toml
`;

export const queueUsage = `Usage: millrace queue ls | replay | drop WHAT [--data-dir DIR] [--category NAME] [--gateway]

  ls                  what waits to be sent, and what was refused (dead letters); of a gateway too, by target
  replay              put dead letters back into the queue, all or those of --category
  drop dead-letters   delete the dead letters
  drop CATEGORY       delete the points of a category that wait to be sent

ls works at any time; for the others the agent must be stopped. With --gateway they look at the gateway's queues, where the
names that ls shows stand in place of categories.

Examples:
  millrace queue ls
  millrace queue replay --category logging --data-dir /var/lib/millrace
  millrace queue drop dead-letters --gateway
`;

export const monitorUsage = `Usage: millrace monitor [--to HOST:PORT] [--refresh 5s] [--modules LIST] [--width N] [--once]

Shows what a running agent does, read from its /metrics: points per category, queue and its age, uploads, scripts, calls,
last errors. In a terminal the page is drawn anew until q or Ctrl-C; elsewhere each look is a frame of plain text. A browser
shows the same at http://HOST:PORT/monitor.

Options:
  --to HOST:PORT      the agent, or the path of its Unix socket (${schema["http_api.listen"].default})
  -R, --refresh TIME  time between two looks, at least 1s (5s)
  -M, --modules LIST  only these parts: ${moduleNames}
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

function settingLines(): string {
  const rows = (Object.entries(schema) as [string, Setting][]).map(([name, setting]) => {
    const value = JSON.stringify(setting.default);
    return `  ${name}${setting.env === undefined ? "" : ` (${setting.env})`} = ${value}\n      ${setting.summary}`;
  });
  return rows.join("\n");
}

// The help texts that `--help` prints for `millrace pipeline` and its commands.

import { schema } from "../../config/schema.ts";

const patternUsage = `\
  --patterns FILE     grok patterns of a file, or of the files of a folder, as Logstash writes them; may be given again. Those
                      of patterns/*.grok beside the script are always there
  --ecs               read [source][address] as the field source.address, as in Logstash's patterns/ecs-v1
                      (pipeline.ecs_patterns of the agent)
`;

export const pipelineUsage = `Usage: millrace pipeline VERB ...

  run SCRIPT.p        run a script, or a ready one by its name, over standard input
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
${patternUsage}  --tab               a line per key instead of JSON
  --date              the time as a date instead of nanoseconds

Examples:
  millrace pipeline -P redis.p -T '1:M 21 Nov 2025 10:00:00.123 * Ready to accept connections'
  millrace pipeline run nginx.p < /var/log/nginx/access.log
  millrace pipeline check pipeline/
  millrace pipeline fmt --write pipeline/*.p
  millrace pipeline test pipeline/ --watch
`;

export const runUsage = `Usage: millrace pipeline run SCRIPT.p [--category NAME] [--format json|lp|pbjson] [--multiline REGEX] [--patterns FILE|DIR] [--ecs] < FILE

Runs a script over standard input and prints one resulting point per line. For logging each input line is one message;
for the other categories the input is line protocol. SCRIPT.p is a file, or the name of a script of the data folder or of
a ready one (nginx.p); scripts beside it can be called with use().

Options:
  --category NAME     logging, metric, object, ... (logging)
  --format FORMAT     json, lp or pbjson (json)
  --multiline REGEX   a line that matches begins a log, the others go on with the one before
  --config FILE       the agent's configuration: reference tables, database of addresses, rules of http_request
${patternUsage}
Examples:
  millrace pipeline run nginx.p < /var/log/nginx/access.log
  millrace pipeline run cpu.p --category metric --format lp < points.lp
  millrace pipeline run web.p --patterns logstash/patterns/ecs-v1 --ecs < access.log
  millrace pipeline run nginx.p --multiline '^[0-9]' < /var/log/nginx/access.log

The exit code is 1 when the script has an error, or fails on a point; errors go to standard error as
file:line:column: message, with the line of the script.
`;

export const checkUsage = `Usage: millrace pipeline check FILE|DIR... [--central] [--patterns FILE|DIR] [--ecs]

Prints all mistakes of the scripts, and what is legal but surely not meant, as file:line:column: message with the line.
Of a folder all *.p below it are checked. Scripts find those beside them with use(). The exit code is 1 when there is an
error.

  --central   warn of calls that have no effect when a platform runs the scripts: create_point, agg_create, ...
${patternUsage}
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

export const testUsage = `Usage: millrace pipeline test DIR|FILE... [--watch] [--patterns FILE|DIR] [--ecs]

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
${patternUsage}
Examples:
  millrace pipeline test pipeline/
  millrace pipeline test nginx.test.yaml --watch

The exit code is 1 when a test fails.
`;

export const traceUsage = `Usage: millrace pipeline trace SCRIPT.p [--category NAME] [--patterns FILE|DIR] [--ecs] < FILE

Runs a script over standard input and prints every statement with what it changed: keys set, removed and renamed,
variables, the branch of an if, groks that did not match, points made, drops, errors. Input as for run.

Options:
  --category NAME     logging, metric, object, ... (logging)
  --config FILE       the agent's configuration: reference tables, database of addresses, rules of http_request
${patternUsage}
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

export const benchUsage = `Usage: millrace pipeline bench SCRIPT.p [--category NAME] [--seconds N] [--multiline REGEX] [--patterns FILE|DIR] [--ecs] < FILE

Runs a script over standard input again and again, as the agent does, and prints points per second, nanoseconds per
point and per statement, and which statements take the time. Input as for run.

Options:
  --category NAME     logging, metric, object, ... (logging)
  --seconds N         how long (3)
  --multiline REGEX   a line that matches begins a log, the others go on with the one before
  --config FILE       the agent's configuration: reference tables, database of addresses, rules of http_request
${patternUsage}
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

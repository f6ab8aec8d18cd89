// The help texts that `--help` prints for the commands start, agent, gateway and platform.

import { schema } from "../../config/schema.ts";
import type { Setting } from "../../config/setting.ts";

export const startUsage = `Usage: millrace start [--listen HOST:PORT] [--gateway-listen HOST:PORT|none] [--platform-listen HOST:PORT|none]
                      [--data-dir DIR] [--config FILE] [--sinker FILE] [--tail PATTERN]... [--source NAME]

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
  --tail PATTERN               log files that the agent reads from their start and follows, such as '/var/log/nginx/*.log';
                               used in place of [[inputs.tail]] of the configuration
  --source NAME                with --tail: measurement of these logs; the script NAME.p runs over them (without it: the
                               bundled script that fits their first lines)

SIGHUP reads configuration and sink rules again. SIGTERM sends what is due, then ends.

Examples:
  millrace start
  millrace start --tail '/var/log/nginx/*.log'
  millrace start --listen 0.0.0.0:9529 --gateway-listen none
`;

export const agentUsage = `Usage: millrace agent [--listen HOST:PORT] [--data-dir DIR] [--config FILE] [--pid-file FILE] [--max-run-duration TIME]
                      [--stdin] [--tail PATTERN]... [--source NAME] [--stdout FORM]

Starts the agent. Without a gateway in the configuration, points are appended to DIR/output/<category>.lp.

Options:
  --listen HOST:PORT  address of the HTTP interface, or the path of a Unix socket (${schema["http_api.listen"].default})
  --data-dir DIR      folder of scripts (DIR/pipeline) and output (${schema.data_dir.default})
  --config FILE       configuration in TOML; the environment wins over it, options win over both
  --pid-file FILE     holds the process id while the agent runs
  --max-run-duration TIME
                      the agent ends by itself after this time, such as 12h, as SIGTERM would end it
  --stdin             each line of standard input becomes a log; the agent ends when the input ends and all is in the queue
  --tail PATTERN      log files that are read from their start and followed; used in place of [[inputs.tail]]
  --source NAME       measurement of the logs of --stdin and --tail; the script NAME.p runs over them. Without it: for
                      --stdin ${schema["inputs.stdin.source"].default}, for --tail the bundled script that fits the first lines
  --stdout FORM       writes the points to standard output, one a line, in place of files or beside the gateways: lp, json,
                      pbjson or pb

SIGHUP reads the configuration again; one with a mistake changes nothing. Connections stay open meanwhile and requests wait, for as
long as a start takes. SIGTERM sends what is due, then ends.

Examples:
  millrace agent
  millrace agent --listen 0.0.0.0:9529 --data-dir /var/lib/millrace
  ENV_GATEWAY=http://gateway:9528 millrace agent --config agent.toml
  millrace agent --stdin --source nginx --stdout json < access.log

Settings (key, environment variable, default):
${settingLines()}
`;

export const gatewayUsage = `Usage: millrace gateway [--listen HOST:PORT] [--data-dir DIR] [--sinker FILE] [--config FILE]
       millrace gateway check FILE
       millrace gateway explain FILE [--header 'X-Global-Tags: k=v,k=v'] [--path PATH] [--first]
       millrace gateway explain FILE --tags FILE [--category NAME] [--functions DIR] [--config FILE] < POINTS

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
  --tags FILE         rules that generate the header, JSON or YAML (sinker.tags.path of the configuration)
  --category NAME     of the points (keyevent)
  --functions DIR     modules of functions that generate the header (those of the configuration, DIR/gateway/functions)

SIGHUP reads the rules again; a file with a mistake changes nothing. SIGTERM sends what is due, then ends.

Examples:
  millrace gateway --listen 0.0.0.0:9528 --data-dir /var/lib/millrace --sinker sinker.json
  millrace gateway check sinker.json
  millrace gateway explain sinker.json --header 'X-Global-Tags: host=web-001,env=prod'
  echo 'keyevent,host=web-001 title="x"' | millrace gateway explain sinker.json --tags tags.yaml
`;

export const platformUsage = `Usage: millrace platform [--listen HOST:PORT] [--data-dir DIR] [--config FILE] [--seed FILE]
       millrace platform check | repair | backup DIR | restore DIR | export ...

Starts the platform: takes points of agents and gateways (POST /v1/write/:category), answers DQL (POST /v1/query/raw). The
token of a request names its workspace: that of this machine lies in DIR/platform/token, more are [platform] tokens.

  check               looks whether the files of the store are whole
  repair              makes a damaged store whole again, and says what is lost
  backup DIR          copies the store; the platform may run meanwhile
  restore DIR         puts a backup into the data folder
  export              writes points as Parquet, CSV or line protocol

millrace platform VERB --help tells more. Without a verb, options of the service:

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

function settingLines(): string {
  const rows = (Object.entries(schema) as [string, Setting][]).map(([name, setting]) => {
    const value = JSON.stringify(setting.default);
    return `  ${name}${setting.env === undefined ? "" : ` (${setting.env})`} = ${value}\n      ${setting.summary}`;
  });
  return rows.join("\n");
}

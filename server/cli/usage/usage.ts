// The help text that `millrace --help` prints. The help texts of the single commands are in services.ts, tools.ts,
// pipeline.ts and platform.ts.

export const usage = `Millrace turns raw logs, metrics and events into clean points.

Usage: millrace <command> [options]

Commands:
  start               start agent, gateway and platform with defaults, in one process
  agent               start the agent: takes points over HTTP, runs scripts, forwards the result
  gateway             start the gateway: routes points to workspaces by sink rules; check and explain the rules
  platform            start the platform: keeps points and answers queries about them
  key                 API keys of the platform: create, list, revoke
  dashboard           list the platform's dashboards, make a ready one, import and export them
  dql                 ask the platform: millrace dql 'L::nginx:(count(*)) BY status_code'
  pipeline            run, check, format, test, trace and measure scripts
  config              check a configuration file, or write one with all defaults
  queue               look at what waits to be sent, replay or drop it
  tail                follow log files: cuts their lines into fields, shows a live table, sends them
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

// Lists all inputs (ways in which points come to the agent). A new input is a folder beside this file and an
// entry here.

import type { Converters } from "../ingest/converter.ts";
import { elasticsearch } from "./elasticsearch/routes.ts";
import { host } from "./host/host.ts";
import { httpWrite } from "./http-write/write.ts";
import { influx } from "./influx/routes.ts";
import type { Input } from "./input.ts";
import { journald } from "./journald/journald.ts";
import { jsonLines } from "./json-lines/routes.ts";
import { logStream } from "./log-stream/route.ts";
import { loki } from "./loki/routes.ts";
import { otlp } from "./otlp/route.ts";
import { otlpGrpc } from "./otlp-grpc/otlp-grpc.ts";
import { prometheus } from "./prometheus/route.ts";
import { prometheusScrape } from "./prometheus-scrape/prometheus-scrape.ts";
import { splunkHec } from "./splunk-hec/routes.ts";
import { statsd } from "./statsd/statsd.ts";
import { stdin } from "./stdin/stdin.ts";
import { syslog } from "./syslog/syslog.ts";
import { tail } from "./tail/tail.ts";

export const inputs: readonly Input[] = [
  httpWrite,
  logStream,
  prometheus,
  otlp,
  tail,
  influx,
  loki,
  elasticsearch,
  splunkHec,
  jsonLines,
  otlpGrpc,
  syslog,
  stdin,
  journald,
  statsd,
  prometheusScrape,
  host,
];

export const converters: Converters = new Map(
  inputs.flatMap(({ converter }) => (converter === undefined ? [] : [[converter.name, converter]])),
);

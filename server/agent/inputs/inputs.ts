// Lists all inputs (ways in which points come to the agent). A new input is a folder beside this file and an
// entry here.

import type { Converters } from "../ingest/converter.ts";
import { httpWrite } from "./http-write/write.ts";
import type { Input } from "./input.ts";
import { journald } from "./journald/journald.ts";
import { logStream } from "./log-stream/route.ts";
import { otlp } from "./otlp/route.ts";
import { prometheus } from "./prometheus/route.ts";
import { stdin } from "./stdin/stdin.ts";
import { syslog } from "./syslog/syslog.ts";
import { tail } from "./tail/tail.ts";

export const inputs: readonly Input[] = [httpWrite, logStream, prometheus, otlp, tail, syslog, stdin, journald];

export const converters: Converters = new Map(
  inputs.flatMap(({ converter }) => (converter === undefined ? [] : [[converter.name, converter]])),
);

// Lists the protocols whose senders push data to the agent.

import { elasticsearchPush } from "../elasticsearch/elasticsearch.ts";
import { influxPush } from "../influx/influx.ts";
import { jsonLinesPush } from "../json-lines/json-lines.ts";
import { lokiPush } from "../loki/loki.ts";
import { splunkHecPush } from "../splunk-hec/splunk-hec.ts";
import type { Push } from "./push.ts";

export const pushes: readonly Push[] = [influxPush, lokiPush, elasticsearchPush, splunkHecPush, jsonLinesPush];

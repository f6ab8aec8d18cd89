// The settings of the inputs that take the requests of other programs' senders: Influx, Loki, Elasticsearch, Splunk and
// JSON lines. All of them are off until the configuration switches them on.

import { plainText } from "../forms.ts";
import { type Setting, setting } from "../setting.ts";

const token = (variable: string) =>
  setting("text", "", "secret that each request has to bring; empty = none is asked", { secret: true, env: variable });

export const agentPushInputSettings = {
  "inputs.influx.enable": setting("bool", false, "take Influx writes at /write and /api/v2/write", {
    env: "ENV_INPUT_INFLUX_ENABLE",
  }),
  "inputs.influx.token": token("ENV_INPUT_INFLUX_TOKEN"),
  "inputs.influx.database_tag": setting("text", "", "tag that gets the db or bucket of a write; empty = none", {
    form: plainText,
    env: "ENV_INPUT_INFLUX_DATABASE_TAG",
  }),

  "inputs.loki.enable": setting("bool", false, "take Loki pushes at /loki/api/v1/push", {
    env: "ENV_INPUT_LOKI_ENABLE",
  }),
  "inputs.loki.token": token("ENV_INPUT_LOKI_TOKEN"),
  "inputs.loki.source_labels": setting(
    "texts",
    ["service_name", "job", "app"],
    "labels that name the measurement; the first that a stream has counts, else it is loki",
    { form: plainText, env: "ENV_INPUT_LOKI_SOURCE_LABELS" },
  ),

  "inputs.elasticsearch.enable": setting("bool", false, "take bulk requests at /_bulk and /elasticsearch/_bulk", {
    env: "ENV_INPUT_ELASTICSEARCH_ENABLE",
  }),
  "inputs.elasticsearch.token": token("ENV_INPUT_ELASTICSEARCH_TOKEN"),
  "inputs.elasticsearch.version": setting("text", "9.0.0", "version of Elasticsearch that senders are told", {
    form: { text: "a version such as 8.17.0", fits: (text) => /^\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(text) },
    env: "ENV_INPUT_ELASTICSEARCH_VERSION",
  }),

  "inputs.splunk_hec.enable": setting("bool", false, "take Splunk HEC events at /services/collector", {
    env: "ENV_INPUT_SPLUNK_HEC_ENABLE",
  }),
  "inputs.splunk_hec.token": token("ENV_INPUT_SPLUNK_HEC_TOKEN"),
  "inputs.splunk_hec.ack": setting("bool", false, "give requests with a channel an ackId; they need a channel then", {
    env: "ENV_INPUT_SPLUNK_HEC_ACK",
  }),

  "inputs.json_lines.enable": setting("bool", false, "take JSON lines at /v1/write/json-lines", {
    env: "ENV_INPUT_JSON_LINES_ENABLE",
  }),
  "inputs.json_lines.token": token("ENV_INPUT_JSON_LINES_TOKEN"),
} as const satisfies Record<string, Setting>;

// The settings of the inputs that take data in the protocols of other products: Influx, Loki, Elasticsearch, Splunk,
// JSON lines, and OTLP over gRPC. All of these inputs are off by default.

import { listenAddress, plainText, readableFile } from "../forms.ts";
import { type Setting, setting } from "../setting.ts";

const token = (variable: string) =>
  setting("text", "", "secret that each request has to bring; empty = none is asked", { secret: true, env: variable });

export const pushSettings = {
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

  "inputs.otlp_grpc.listen": setting(
    "text",
    "",
    "host:port at which OTLP over gRPC is taken, such as localhost:4317; empty = it is not",
    { form: listenAddress, env: "ENV_INPUT_OTLP_GRPC_LISTEN" },
  ),
  "inputs.otlp_grpc.token": token("ENV_INPUT_OTLP_GRPC_TOKEN"),
  "inputs.otlp_grpc.tls_cert": setting("text", "", "file of the certificate (PEM); with tls_key the port speaks TLS", {
    form: readableFile,
    env: "ENV_INPUT_OTLP_GRPC_TLS_CERT",
  }),
  "inputs.otlp_grpc.tls_key": setting("text", "", "file of the private key (PEM)", {
    form: readableFile,
    env: "ENV_INPUT_OTLP_GRPC_TLS_KEY",
  }),
  "inputs.otlp_grpc.max_message_bytes": setting(
    "int",
    16 * 1024 * 1024,
    "largest message in bytes, after decompression; at most http_api.max_body_bytes counts",
    { unit: "bytes", env: "ENV_INPUT_OTLP_GRPC_MAX_MESSAGE_BYTES", min: 1 },
  ),
  "inputs.otlp_grpc.max_streams": setting("int", 100, "requests of one connection at once", {
    unit: "requests",
    env: "ENV_INPUT_OTLP_GRPC_MAX_STREAMS",
    min: 1,
    max: 10_000,
  }),
  "inputs.otlp_grpc.max_connections": setting("int", 200, "connections at once; further ones are closed", {
    unit: "connections",
    env: "ENV_INPUT_OTLP_GRPC_MAX_CONNECTIONS",
    min: 1,
    max: 100_000,
  }),
} as const satisfies Record<string, Setting>;

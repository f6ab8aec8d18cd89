// The output of `millrace doctor` and `millrace monitor` about the inputs that accept pushes of other programs (Influx,
// Loki and others), and the examples of docs/inputs.md.

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { examinePushes } from "../../../../server/cli/doctor/push.ts";
import { loadConfig } from "../../../../server/config/load.ts";
import { defaults } from "../../../../server/config/schema.ts";
import { parseMetrics } from "../../../../server/telemetry/status/samples.ts";
import { stateOf } from "../../../../server/telemetry/status/state.ts";

describe("doctor", () => {
  const on = { "inputs.influx.enable": true, "inputs.loki.enable": true } as const;
  const paths = "takes POST /write, POST /api/v2/write at";
  const loki = "takes POST /loki/api/v1/push at";

  it.each([
    ["off", {}, []],
    [
      "for this machine",
      on,
      [
        ["ok", `influx: ${paths} localhost:9529`],
        ["ok", `loki: ${loki} localhost:9529`],
      ],
    ],
    [
      "whose paths are not public",
      { ...on, "http_api.listen": "0.0.0.0:9529", "http_api.public_apis": ["/write"], "inputs.influx.token": "t" },
      [
        [
          "warn",
          `influx: ${paths} 0.0.0.0:9529; only senders on this machine reach /api/v2/write: [http_api] public_apis lists the paths for others`,
        ],
        [
          "warn",
          `loki: ${loki} 0.0.0.0:9529; only senders on this machine reach /loki/api/v1/push: [http_api] public_apis lists the paths for others`,
        ],
      ],
    ],
    [
      "that everybody may use",
      {
        "inputs.loki.enable": true,
        "http_api.listen": "0.0.0.0:9529",
        "http_api.public_apis": ["/loki/*"],
        "inputs.otlp_grpc.listen": "0.0.0.0:4317",
      },
      [
        ["warn", `loki: ${loki} 0.0.0.0:9529; whoever reaches the port may write: a token is not set`],
        [
          "warn",
          "otlp_grpc: takes OTLP over gRPC at 0.0.0.0:4317; whoever reaches the port may write: a token is not set",
        ],
      ],
    ],
    [
      "with tokens",
      {
        "inputs.loki.enable": true,
        "inputs.loki.token": "t",
        "http_api.listen": "[::]:9529",
        "http_api.public_apis": ["/loki/*"],
        "inputs.otlp_grpc.listen": "0.0.0.0:4317",
        "inputs.otlp_grpc.token": "t",
      },
      [
        ["ok", `loki: ${loki} [::]:9529`],
        ["ok", "otlp_grpc: takes OTLP over gRPC at 0.0.0.0:4317"],
      ],
    ],
  ])("reports push protocols %s", (_, settings, expected) => {
    const findings = examinePushes({ ...defaults(), ...settings });
    expect(findings.map(({ grade, text }) => [grade, text])).toEqual(expected);
  });
});

it("monitor shows enabled protocols, also before any point arrives", () => {
  const samples = parseMetrics(`agent_input_push_info{input="influx",path="/write"} 1
agent_input_push_info{input="influx",path="/api/v2/write"} 1
agent_input_push_info{input="loki",path="/loki/api/v1/push"} 1
agent_io_feed_point_sum{name="influx",category="metric"} 1234
agent_input_push_refused_total{input="influx",status="401"} 2
agent_input_push_refused_total{input="influx",status="413"} 1
agent_input_push_rejected_item_total{input="influx"} 5
`);
  const block = stateOf({ samples, at: 0 }, undefined, 0).find(({ title }) => title === "LISTENING INPUTS");
  expect(block?.table).toEqual([
    ["input", "points", "refused", "left out", "path"],
    ["influx", "1,234", "3", "5", "/api/v2/write /write"],
    ["loki", "0", "0", "0", "/loki/api/v1/push"],
  ]);
});

it("the examples of docs/inputs.md and docs/reference/otlp.md can be used", () => {
  const pages = ["inputs.md", "reference/otlp.md"].map((page) =>
    readFileSync(new URL(`../../../../docs/${page}`, import.meta.url), "utf8"),
  );
  const examples = pages.flatMap((page) =>
    [...page.matchAll(/```toml\n(\[inputs\.[a-z_]+\]\n[^`]*)```/g)].map(([, text]) => text!),
  );
  expect(examples.map((text) => text.split("\n")[0])).toEqual([
    "[inputs.stdin]",
    "[inputs.journald]",
    "[inputs.statsd]",
    "[inputs.host]",
    "[inputs.influx]",
    "[inputs.loki]",
    "[inputs.elasticsearch]",
    "[inputs.splunk_hec]",
    "[inputs.json_lines]",
    "[inputs.otlp_grpc]",
  ]);
  const { config, warnings } = loadConfig({ file: { name: "agent.toml", text: examples.join("\n") } });
  expect(warnings).toEqual([]);
  expect(config["inputs.splunk_hec.enable"]).toBe(true);
});

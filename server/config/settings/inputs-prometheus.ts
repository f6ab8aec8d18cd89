// The settings of the input that asks Prometheus targets for their metrics.

import { readFileSync } from "node:fs";
import { createSecureContext } from "node:tls";
import { Regex, RegexSyntaxError } from "../../../lib/regex/index.ts";
import type { Mistake } from "../check-value.ts";
import { type Form, httpUrl, readableFile } from "../forms.ts";
import { type EntryOf, entriesSetting, type Setting, setting } from "../setting.ts";
import { tagMistakes } from "../table-mistakes.ts";
import { regularExpression } from "./line-fields.ts";

const targetUrl: Form = {
  text: "a URL such as http://host:9100/metrics, without user and password",
  fits: (text) => httpUrl.fits(text) && new URL(text).username === "" && new URL(text).password === "",
};

export const prometheusFields = {
  urls: setting("texts", [], "addresses of the targets' metrics", {
    form: targetUrl,
    example: 'urls = ["http://localhost:9100/metrics"]',
  }),
  interval: setting("duration", "15s", "time from one scrape of a target to the next"),
  timeout: setting("duration", "10s", "a target that has not answered in full within this time counts as down"),
  measurement: setting(
    "text",
    "",
    "measurement of all points, whose fields are whole names of metrics; empty = names are split at their first _",
  ),
  tags: setting("table", {}, "tags of each point, besides instance and host", { example: 'tags = { team = "web" }' }),
  honor_timestamps: setting("bool", true, "take the times that targets give their samples"),
  keep: setting("texts", [], "regular expressions (RE2) of which one matches the whole name of a metric; empty = all", {
    form: regularExpression,
    example: 'keep = ["node_(cpu|memory)_.*"]',
  }),
  drop: setting("texts", [], "regular expressions of names of metrics that are left out", {
    form: regularExpression,
    example: 'drop = ["go_.*"]',
  }),
  keep_labels: setting("table", {}, "regular expressions by label; samples of which one does not match are left out", {
    example: 'keep_labels = { mode = "user|system" }',
  }),
  drop_labels: setting("table", {}, "regular expressions by label; samples of which one matches are left out", {
    example: 'drop_labels = { device = "loop.*" }',
  }),
  username: setting("text", "", "user of the basic authentication; empty = none"),
  password_file: setting("text", "", "file with the password of the user; read at each scrape", { form: readableFile }),
  bearer_token_file: setting("text", "", "file with a token for Authorization: Bearer; read at each scrape", {
    form: readableFile,
  }),
  tls_ca: setting("text", "", "https: authorities (PEM) of the targets; empty = those of Node", { form: readableFile }),
  tls_cert: setting("text", "", "https: file of the client certificate (PEM)", { form: readableFile }),
  tls_key: setting("text", "", "https: file of its private key (PEM)", { form: readableFile }),
  insecure_skip_verify: setting("bool", false, "https: take any certificate of the targets"),
  max_body_bytes: setting("int", 16 * 1024 * 1024, "largest answer in bytes, before and after decompression", {
    unit: "bytes",
    min: 1024,
    max: 256 * 1024 * 1024,
  }),
  max_samples: setting("int", 100_000, "samples of one scrape; further ones are left out and counted", {
    unit: "samples",
    min: 1,
  }),
} as const satisfies Record<string, Setting>;

/** One entry `[[inputs.prometheus]]`: Prometheus targets, and how to ask them for their metrics. */
export type PrometheusSettings = EntryOf<typeof prometheusFields>;

export const prometheusSettings = {
  "inputs.prometheus": entriesSetting(prometheusFields, "Prometheus targets whose metrics become points", {
    mistakes: (entries) => (entries as readonly Partial<PrometheusSettings>[]).flatMap(targetMistakes),
  }),
} as const satisfies Record<string, Setting>;

function targetMistakes(entry: Partial<PrometheusSettings>, at: number): readonly Mistake[] {
  const { urls = [], tags = {}, username = "", password_file = "", bearer_token_file = "" } = entry;
  const { tls_cert = "", tls_key = "" } = entry;
  const mistakes: Mistake[] = [];
  const add = (key: string, text: string) =>
    mistakes.push({ path: key === "" ? [String(at)] : [String(at), key], text });
  if (urls.length === 0 || urls.includes("")) add("", ".urls must name at least one target, and no empty one");
  for (const { text } of tagMistakes(tags)) add("tags", text);
  for (const key of ["keep_labels", "drop_labels"] as const) {
    for (const [label, source] of Object.entries(entry[key] ?? {})) {
      if (typeof source === "string" && !isExpression(source)) add(key, `.${label} must be ${regularExpression.text}`);
    }
  }
  if (password_file !== "" && username === "") add("password_file", " needs username beside it");
  if (bearer_token_file !== "" && username !== "") add("bearer_token_file", " cannot stand beside username");
  if ((tls_cert === "") !== (tls_key === "")) add("", ": tls_cert and tls_key need each other");
  else if (tls_cert !== "") {
    try {
      createSecureContext({ cert: readFileSync(tls_cert), key: readFileSync(tls_key) });
    } catch (error) {
      add("tls_cert", ` and tls_key cannot be used together: ${(error as Error).message}`);
    }
  }
  return mistakes;
}

function isExpression(source: string): boolean {
  try {
    Regex.compile(source).free();
    return true;
  } catch (error) {
    if (error instanceof RegexSyntaxError) return false;
    throw error;
  }
}

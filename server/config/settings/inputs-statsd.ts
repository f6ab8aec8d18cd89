// The settings of the input `statsd`, which receives metrics in the statsd protocol.

import type { Form } from "../forms.ts";
import { datagramHint, parseInputAddress } from "../input-address.ts";
import { type Setting, setting } from "../setting.ts";
import { tagMistakes } from "../table-mistakes.ts";

const statsdAddress: Form = {
  text: "an address such as udp://127.0.0.1:8125, tcp://[::]:8125 or unix:///run/millrace/statsd",
  fits: (text) => {
    try {
      return parseInputAddress(text).protocol !== "tls";
    } catch {
      return false;
    }
  },
  hint: datagramHint,
};

const percentage: Form = {
  text: "a percentage above 0 and at most 100, such as 99.9",
  fits: (text) => /^\d{1,3}(?:\.\d{1,3})?$/.test(text) && Number(text) > 0 && Number(text) <= 100,
};

export const statsdSettings = {
  "inputs.statsd.listen": setting(
    "texts",
    [],
    "addresses at which statsd is received: udp:// or tcp:// with host:port, unix:// with a path; empty = none",
    {
      form: statsdAddress,
      env: "ENV_INPUT_STATSD_LISTEN",
      mistakes: (listens) =>
        listens.includes("") || new Set(listens).size < listens.length
          ? [{ path: [], text: ": each must be another address" }]
          : [],
    },
  ),
  "inputs.statsd.interval": setting("duration", "10s", "time over which samples are added up to a point"),
  "inputs.statsd.percentiles": setting(
    "texts",
    ["50", "90", "99"],
    "percentages whose percentiles timings, histograms and distributions get",
    {
      form: percentage,
      mistakes: (percentages) => (percentages.includes("") ? [{ path: [], text: ": each must be a percentage" }] : []),
    },
  ),
  "inputs.statsd.tags": setting("table", {}, "tags of each point, besides host", {
    example: 'team = "web"',
    mistakes: tagMistakes,
  }),
  "inputs.statsd.gauge_ttl": setting("duration", "10m", "a gauge that nobody sets for so long is forgotten"),
  "inputs.statsd.max_series": setting(
    "int",
    100_000,
    "series (name, tags and type) of one interval; samples of further ones are dropped and counted",
    { unit: "series", min: 1 },
  ),
  "inputs.statsd.max_series_bytes": setting(
    "int",
    64 * 1024 * 1024,
    "bytes that series, values of sets and buckets of timings may take; samples that need more are dropped and counted",
    { unit: "bytes", min: 64 * 1024 },
  ),
  "inputs.statsd.max_packet_bytes": setting(
    "int",
    64 * 1024,
    "largest datagram in bytes; lines beyond it are dropped and counted",
    { unit: "bytes", min: 512, max: 64 * 1024 },
  ),
  "inputs.statsd.max_line_bytes": setting("int", 8192, "longest line in bytes; a longer one is dropped and counted", {
    unit: "bytes",
    min: 64,
    max: 64 * 1024,
  }),
  "inputs.statsd.max_connections": setting("int", 200, "connections at once; further ones are closed", {
    unit: "connections",
    min: 1,
    max: 100_000,
  }),
  "inputs.statsd.idle_timeout": setting("duration", "1h", "a connection that sends nothing for so long is closed"),
} as const satisfies Record<string, Setting>;

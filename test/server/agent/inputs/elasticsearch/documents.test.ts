// Logs get their measurement from the name of their Elasticsearch index. The tests check that the date and the sequence
// number at the end of the name are left out.

import { expect, it } from "vitest";
import { measurementOf } from "../../../../../server/agent/inputs/elasticsearch/documents.ts";

it.each([
  ["filebeat-8.17.0-2026.01.31-000001", "filebeat-8.17.0"],
  ["logstash-2026.01.31", "logstash"],
  ["fluent-bit_2026-01", "fluent-bit"],
  [".ds-logs-app-default-2026.01.31-000001", "logs-app-default"],
  ["logs-app-default", "logs-app-default"],
  ["year-2026", "year-2026"],
  ["-2026.01.31", "elasticsearch"],
  ["", "elasticsearch"],
])("the measurement of the index %s is %s", (index, measurement) => {
  expect(measurementOf(index)).toBe(measurement);
});

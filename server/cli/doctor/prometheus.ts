// The part of `millrace doctor` that asks each target of `[[inputs.prometheus]]` for its metrics once.

import { shownText } from "../../../lib/text/index.ts";
import { openTargetClient } from "../../agent/inputs/prometheus-scrape/fetch-target.ts";
import { parseText } from "../../agent/inputs/prometheus-scrape/parse-text.ts";
import type { PrometheusSettings } from "../../config/settings/inputs-prometheus.ts";
import { counted } from "../terminal/counted.ts";
import type { TailFinding } from "./tail.ts";

/** Largest number of targets that are asked for each entry of the configuration. */
const mostAsked = 20;

export async function examineTargets(entries: readonly PrometheusSettings[]): Promise<TailFinding[]> {
  const findings: TailFinding[] = [];
  for (const settings of entries) {
    const client = openTargetClient(settings);
    for (const url of settings.urls.slice(0, mostAsked)) {
      const at = `prometheus ${shownText(url)}`;
      try {
        const { body, isOpenMetrics } = await client.fetch(url);
        let [samples, malformed] = [0, 0];
        parseText(
          body.toString("latin1"),
          isOpenMetrics,
          () => samples++,
          () => malformed++,
        );
        const text = `${at}: answers with ${counted(samples, "sample")}`;
        if (malformed === 0 && samples > 0) findings.push({ grade: "ok", text });
        else findings.push({ grade: "warn", text: `${text}, and ${counted(malformed, "line")} that cannot be read` });
      } catch (error) {
        findings.push({ grade: "fail", text: `${at}: ${shownText((error as Error).message)}` });
      }
    }
    client.close();
  }
  return findings;
}

// Describes, in the language of the page, the points that a ready dashboard (a template that comes with the agent)
// needs. The server sends these descriptions in English.

import { english, t } from "../../text/translate.ts";

const logs = /^logs with source=(\w+), which the ready script (\w+\.p) parses$/;

const others: ReadonlySet<string> = new Set([
  english(
    "metrics of Millrace's own services: millrace start stores them; elsewhere [[inputs.prometheus]] with their /metrics as urls",
  ),
  english("metrics of the machine: [inputs.host] enable = true"),
  english("logs with source=mysql, which the ready script mysql.p parses: slow query log and error log"),
]);

/**
 * Returns a description in the language of the page. A description that this file does not know is returned as the
 * server wrote it.
 */
export function readyText(needs: string): string {
  const [, source, script] = logs.exec(needs) ?? [];
  if (source === undefined || script === undefined) return others.has(needs) ? t(needs) : needs;
  return t("logs with source={source}, which the ready script {script} parses", { source, script });
}

// Makes example queries for beginners from the sources (such as measurements) and the keys of the points.

import { t } from "../../text/translate.ts";
import type { HeldSource } from "../../worker/query-run/asking.ts";

export interface FirstQuery {
  readonly about: string;
  readonly text: string;
}

/** Keys that are useful to count points by, the most useful first. */
const groups = ["status", "level", "method", "host", "service", "country", "code", "status_code"];
const plain = /^[A-Za-z_]\w*$/;

export function firstQueries([source]: readonly HeldSource[]): FirstQuery[] {
  if (source === undefined) return [];
  const { text, keys } = source;
  const names = keys.filter(({ key }) => plain.test(key));
  const group =
    groups.find((each) => names.some(({ key }) => key === each)) ?? names.find(({ kind }) => kind === "tag")?.key;
  const number = names.find(({ kind, key }) => (kind === "float" || kind === "int") && !groups.includes(key))?.key;
  const counted = text.startsWith("M::") ? (number ?? names.find(({ kind }) => kind !== "tag")?.key) : "*";
  return [
    { about: t("The newest points"), text: `${text} LIMIT 100` },
    ...(group === undefined || counted === undefined
      ? []
      : [{ about: t("How many of each {key}", { key: group }), text: `${text}:(count(${counted})) BY ${group}` }]),
    ...(number === undefined
      ? []
      : [
          {
            about: t("{field} over time", { field: number }),
            text: `${text}:(avg(${number}), max(${number})) [::auto]`,
          },
        ]),
    ...(counted === undefined || number !== undefined
      ? []
      : [{ about: t("How many over time"), text: `${text}:(count(${counted})) [::auto]` }]),
  ];
}

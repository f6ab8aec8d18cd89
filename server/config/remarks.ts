// What of a value in the configuration will not be used, and why: told with the line when the file is read.

import { existsSync } from "node:fs";
import { compileDropRules } from "../../lib/filter/drop-rules.ts";
import { customerKeys, maxCustomerKeys } from "../../lib/sharding/shard-keys.ts";
import { quoted } from "./quoted.ts";

export interface Remark {
  /** Below the key of the setting, so that its line can be found. */
  readonly path: readonly string[];
  /** A text that stands on the very line. */
  readonly near?: string;
  /** Names the setting. */
  readonly message: string;
}

export function remarksOnFilters(filters: Readonly<Record<string, readonly string[]>>): readonly Remark[] {
  return compileDropRules(filters).problems.map(({ category, index, message }) =>
    index < 0
      ? { path: [category], message: `io.filters.${category}: ${message}, skipped` }
      : {
          path: [category],
          near: filters[category]![index]!.split("\n")[0]!,
          message: `io.filters.${category}[${index}]: ${message}; the rule is skipped`,
        },
  );
}

export function remarksOnCustomerKeys(keys: readonly string[]): readonly Remark[] {
  const { of } = customerKeys(keys);
  return of > maxCustomerKeys
    ? [{ path: [], message: `global_customer_keys: only the first ${maxCustomerKeys} of ${of} keys are used` }]
    : [];
}

/** What `pipeline.ipdb_type` may be; the first when it is anything else. */
export const addressDatabases = ["country", "geolite2", "cidr", "none", ""] as const;

export function remarksOnAddressDatabase(type: string): readonly Remark[] {
  if (addressDatabases.some((known) => known === type)) return [];
  const all = addressDatabases.filter((known) => known !== "").join(", ");
  return [
    {
      path: [],
      message: `pipeline.ipdb_type: ${quoted(type)} is none of ${all}; ${addressDatabases[0]} is used`,
    },
  ];
}

export function remarksOnSinkRules(file: string): readonly Remark[] {
  if (file === "" || existsSync(file)) return [];
  return [
    { path: [], message: `sinker.file.path: there is no file ${file}; until there is, the gateway refuses with 503` },
  ];
}

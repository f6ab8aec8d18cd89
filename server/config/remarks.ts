// Finds values in the configuration that will not be used, and describes in a remark why. The loader logs each
// remark with the line number in the configuration file.

import { existsSync } from "node:fs";
import { compileDropRules } from "../../lib/filter/index.ts";
import { customerKeys, maxCustomerKeys } from "../../lib/sharding/index.ts";
import { quoted } from "./quoted.ts";

export interface Remark {
  /** The path of the unused entry inside the value of the setting. The loader uses this path to find the line. */
  readonly path: readonly string[];
  /**
   * A string on the line of the unused entry. When the value of the setting spans several lines, the loader searches
   * for this string to find the line.
   */
  readonly near?: string;
  /** The message of the remark, including the name of the setting. */
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

/**
 * The values that the setting `pipeline.ipdb_type` may have. A value that is not in this list is replaced by
 * `country`, the first value of the list.
 */
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

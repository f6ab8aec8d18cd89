// A blacklist, as it is stored and as it is returned. Blacklists are filters of a workspace, which its agents
// fetch. An agent drops each point that matches a filter (docs/reference/open-api.md#blacklists).

import { ConditionError, compileCondition } from "../../../../lib/filter/index.ts";
import { type CategoryName, categories } from "../../../../lib/point/index.ts";
import type { Metadata } from "../../metadata/metadata.ts";
import type { Records, StoredRecord } from "../../metadata/records.ts";
import type { Scope } from "../../metadata/scope.ts";
import type { Author } from "../access/author.ts";
import { invalidParameter } from "../protocol/errors.ts";
import { ownMembers, ownValues } from "../protocol/own-members.ts";
import { list, object, text, type ValueOf } from "../protocol/schema.ts";

const filter = object({
  name: text({ max: 256, about: "name of the tag or field that is compared" }),
  operation: text({
    oneOf: ["in", "not_in", "match", "not_match"],
    about: "type of the comparison; match and not_match use regular expressions",
  }),
  condition: text({ oneOf: ["and", "or"], about: "logical operator between this filter and the previous one" }),
  value: list(text({ min: 0, max: 1024 }), { about: "values or regular expressions to compare with the tag or field" }),
});
export type BlacklistFilter = ValueOf<typeof filter>;

/**
 * For each category, the key under which conditions find the source of a point. The condition of a blacklist
 * compares the value of this key with the property `source` of the blacklist.
 */
const sourceKeys: Readonly<Record<CategoryName, string>> = {
  object: "class",
  custom_object: "class",
  logging: "source",
  keyevent: "source",
  network: "source",
  tracing: "service",
  profiling: "service",
  rum: "app_id",
  security: "category",
  metric: "measurement",
};

/**
 * The schemas of the properties that a client sends when it creates or changes a blacklist. The platform
 * adds the other properties of a blacklist, such as its identifier and its creator.
 */
export const blacklistMembers = {
  name: text({ min: 0, max: 128 }),
  type: text<CategoryName>({ oneOf: categories, about: "category of the points to drop" }),
  source: text({ min: 0, max: 256, about: "source of the points to drop, such as a log source; empty = all" }),
  filters: list(filter, { about: "conditions that select points; an empty list selects all" }),
};

export const blacklistSchema = object({
  ...blacklistMembers,
  ...ownMembers("blist"),
  conditions: text({ about: "the blacklist as one condition in the filter language; agents drop matching points" }),
});
export type BlacklistRecord = ValueOf<typeof blacklistSchema>;

export interface BlacklistDocument {
  readonly name: string;
  readonly type: CategoryName;
  readonly source: string;
  readonly filters: readonly BlacklistFilter[];
  readonly creator: Author;
  readonly updator: Author;
}
export type StoredBlacklist = StoredRecord<BlacklistDocument>;

export function blacklists(metadata: Metadata): Records<BlacklistDocument> {
  return metadata.records<BlacklistDocument>("blacklist");
}

/**
 * Returns the name and the terms (filter values) under which a blacklist is stored. A list of blacklists is
 * searched by the name and filtered by the terms.
 */
export function blacklistFoundBy({ name, source, type }: Pick<BlacklistDocument, "name" | "source" | "type">) {
  return { name: `${name} ${source}`, terms: [`type:${type}`] };
}

export function blacklistRecord(scope: Scope, stored: StoredBlacklist): BlacklistRecord {
  const { name, type, source, filters } = stored.document;
  return { ...ownValues(scope, stored), conditions: conditionOf(stored.document), filters, name, source, type };
}

type Described = Pick<BlacklistDocument, "type" | "source" | "filters">;

/**
 * Returns a blacklist as a condition in the filter language of agents, such as
 * `{ source = 'app' and ( host in [ '127.0.0.1' ] )}`.
 */
export function conditionOf({ type, source, filters }: Described): string {
  const named = `${sourceKeys[type]} = ${source === "" ? "re(`.*`)" : ` ${quoted(source)} `}`;
  if (filters.length === 0) return `{ ${named} }`;
  const joined = filters.map(({ name, operation, condition, value }, at) => {
    const values = `[ ${value.map(quoted).join(", ")} ]`;
    return `${at === 0 ? "" : ` ${condition} `}${keyText(name)} ${operation} ${values}`;
  });
  return `{ ${named} and ( ${joined.join("")} )}`;
}

/**
 * Checks the filters of a blacklist. Throws InvalidParameter when agents cannot use a filter. `member`: the path
 * of the filters in the request body, for the error message.
 */
export function checkFilters(described: Described, member = "filters"): void {
  for (const [at, each] of described.filters.entries()) {
    if (each.value.length === 0) throw invalidParameter(`${member}[${at}].value`, "must not be empty");
    try {
      compileCondition(conditionOf({ ...described, filters: [each] }));
    } catch (error) {
      if (!(error instanceof ConditionError)) throw error;
      throw invalidParameter(`${member}[${at}]`, error.reason);
    }
  }
}

function quoted(value: string): string {
  const escaped = value.replace(/[\\']/g, "\\$&").replace(/[\0-\x1f\x7f]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
  return `'${escaped}'`;
}

function keyText(name: string): string {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !reserved.test(name) ? name : `\`${name}\``;
}

const reserved = /^(?:and|or|in|not_?in|not_?match|match|re|true|false|nil|null|identifier)$/i;

const pageSize = 1000;

/** Returns all blacklists of the workspace, the most recently changed one first. */
export async function allBlacklists(metadata: Metadata, scope: Scope): Promise<readonly StoredBlacklist[]> {
  const all: StoredBlacklist[] = [];
  for (let pageIndex = 1; ; pageIndex++) {
    const { rows } = await blacklists(metadata).list(scope, { pageIndex, pageSize });
    all.push(...rows);
    if (rows.length < pageSize) return all;
  }
}

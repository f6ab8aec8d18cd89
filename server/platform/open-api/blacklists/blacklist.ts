// Routes for the blacklists of a workspace (docs/reference/open-api.md), which tell agents which points to drop.

import type { CategoryName } from "../../../../lib/point/index.ts";
import { newId } from "../../metadata/ids.ts";
import type { Metadata } from "../../metadata/metadata.ts";
import type { Scope } from "../../metadata/scope.ts";
import { authorOf } from "../access/author.ts";
import { found, invalidParameter } from "../protocol/errors.ts";
import { ownExample } from "../protocol/own-members.ts";
import { paged, pageOf, pageParameters, searchParameter } from "../protocol/page.ts";
import { declare, declareList, idShape, type Route } from "../protocol/route.ts";
import { list, mapOf, object, optional, text, type ValueOf } from "../protocol/schema.ts";
import {
  allBlacklists,
  type BlacklistDocument,
  type BlacklistRecord,
  blacklistFoundBy,
  blacklistMembers,
  blacklistRecord,
  blacklistSchema,
  blacklists,
  checkFilters,
  type StoredBlacklist,
} from "./blacklist-record.ts";

const ofBlacklist = { group: "Blacklists", plural: ["blacklist"] } as const;
const ofOne = { ...ofBlacklist, ids: { blacklist: idShape("blist") } } as const;
/** Maximum number of blacklists in one request. */
const maxAtOnce = 1000;

const { name, type, source, filters } = blacklistMembers;
const given = object({ type, source: optional(source), name: optional(name), filters: optional(filters) });
type Given = ValueOf<typeof given>;
const uuids = list(text({ min: 0 }), { about: "identifiers of blacklists" });
const exported = object({ blacklists: list(given) });

const shown: BlacklistRecord = {
  ...ownExample("blist_2f9f7f6d0c0f4b1bb0f6f4a1c3d5e7f9"),
  conditions: "{ source =  'app'  and ( host in [ '127.0.0.1' ] )}",
  filters: [{ name: "host", operation: "in", condition: "and", value: ["127.0.0.1"] }],
  name: "local hosts",
  source: "app",
  type: "logging",
};
const sent: Given = { type: "logging", source: "app", name: "local hosts", filters: shown.filters };

export const blacklistRoutes: readonly Route[] = [
  declareList({
    ...ofBlacklist,
    name: "listBlacklists",
    method: "GET",
    path: "/blacklist/list",
    summary: "Lists blacklists, the most recently changed first.",
    query: { search: searchParameter, type: optional(type), ...pageParameters },
    answer: blacklistSchema,
    examples: [{ title: "Those of logs", query: { type: "logging" }, content: [shown], totalCount: 1 }],
    handle: async ({ metadata, scope, query }) => {
      const page = pageOf(query);
      const anyTerm = query.type === undefined ? [] : [`type:${query.type}`];
      const { rows, totalCount } = await blacklists(metadata).list(scope, {
        ...page,
        search: query.search ?? "",
        anyTerm,
      });
      return paged(
        rows.map((row) => blacklistRecord(scope, row)),
        page,
        totalCount,
      );
    },
  }),

  declare({
    ...ofBlacklist,
    name: "addBlacklist",
    method: "POST",
    path: "/blacklist/add",
    summary: "Makes a blacklist.",
    details:
      "Agents of the workspace that ask for filters get it the next time they ask, and drop the points that meet it.",
    body: given,
    answer: blacklistSchema,
    examples: [{ title: "Logs of one host", body: sent, content: shown }],
    handle: async ({ metadata, scope, body }) => {
      checkFilters(described(body));
      return blacklistRecord(scope, await create(metadata, scope, body));
    },
  }),

  declare({
    ...ofOne,
    name: "getBlacklist",
    method: "GET",
    path: "/blacklist/{blacklist}/get",
    summary: "Gets a blacklist.",
    answer: blacklistSchema,
    examples: [{ title: "A blacklist", ids: { blacklist: shown.uuid }, content: shown }],
    handle: async ({ metadata, scope, ids }) =>
      blacklistRecord(scope, found(await blacklists(metadata).get(scope, ids.blacklist!), ids.blacklist!)),
  }),

  declare({
    ...ofOne,
    name: "modifyBlacklist",
    method: "POST",
    path: "/blacklist/{blacklist}/modify",
    summary: "Changes a blacklist; members that are absent stay as they are.",
    body: object({ type: optional(type), source: optional(source), name: optional(name), filters: optional(filters) }),
    answer: blacklistSchema,
    examples: [
      {
        title: "Another source",
        ids: { blacklist: shown.uuid },
        body: { source: "shop" },
        content: {
          ...shown,
          source: "shop",
          conditions: "{ source =  'shop'  and ( host in [ '127.0.0.1' ] )}",
          updateAt: shown.updateAt + 60,
        },
      },
    ],
    handle: async ({ metadata, scope, ids, body }) => {
      const uuid = ids.blacklist!;
      const wanted = Object.fromEntries(
        Object.entries({ type: body.type, source: body.source, name: body.name, filters: body.filters }).filter(
          ([, value]) => value !== undefined,
        ),
      ) as Partial<BlacklistDocument>;
      const change = await blacklists(metadata).change(scope, uuid, ({ document }) => {
        const next = { ...document, ...wanted };
        checkFilters(next);
        if (JSON.stringify(next) === JSON.stringify(document)) return undefined;
        return { ...blacklistFoundBy(next), document: { ...next, updator: authorOf(scope) } };
      });
      return blacklistRecord(scope, found(change, uuid).after);
    },
  }),

  declare({
    ...ofBlacklist,
    name: "deleteBlacklists",
    method: "POST",
    path: "/blacklist/delete",
    summary: "Deletes the named blacklists; deletes none when one of them is not found.",
    body: object({ blacklistUUIDs: uuids }),
    answer: mapOf(text({ min: 0 }), { about: "names, under the identifiers" }),
    examples: [{ title: "One", body: { blacklistUUIDs: [shown.uuid] }, content: { [shown.uuid]: shown.name } }],
    handle: async ({ metadata, scope, body }) => {
      const deleted: Record<string, string> = {};
      for (const { uuid, document } of await named(metadata, scope, body.blacklistUUIDs)) {
        await blacklists(metadata).remove(scope, uuid);
        deleted[uuid] = document.name;
      }
      return deleted;
    },
  }),

  declare({
    ...ofBlacklist,
    name: "exportBlacklists",
    method: "POST",
    path: "/blacklist/export",
    summary: "Exports all blacklists, or only the named ones.",
    reads: true,
    body: object({ blacklistUUIDs: optional(uuids) }),
    answer: exported,
    examples: [{ title: "All", body: {}, content: { blacklists: [sent] } }],
    handle: async ({ metadata, scope, body: { blacklistUUIDs: wanted } }) => {
      const all = wanted === undefined ? await allBlacklists(metadata, scope) : await named(metadata, scope, wanted);
      return { blacklists: all.map(({ document }): Given => described(document)) };
    },
  }),

  declare({
    ...ofBlacklist,
    name: "importBlacklists",
    method: "POST",
    path: "/blacklist/import",
    summary: "Imports exported blacklists in addition to the existing ones.",
    body: exported,
    answer: object({ data: list(blacklistSchema) }),
    examples: [{ title: "One", body: { blacklists: [sent] }, content: { data: [shown] } }],
    handle: async ({ metadata, scope, body: { blacklists: all } }) => {
      checkCount("blacklists", all.length);
      for (const [at, each] of all.entries()) checkFilters(described(each), `blacklists[${at}].filters`);
      const made: BlacklistRecord[] = [];
      for (const each of all) made.push(blacklistRecord(scope, await create(metadata, scope, each)));
      return { data: made };
    },
  }),
];

function described({ type: category, source: of = "", name: called = "", filters: which = [] }: Given) {
  return { type: category as CategoryName, source: of, name: called, filters: which };
}

async function create(metadata: Metadata, scope: Scope, body: Given): Promise<StoredBlacklist> {
  const author = authorOf(scope);
  const document: BlacklistDocument = { ...described(body), creator: author, updator: author };
  return await blacklists(metadata).create(scope, { uuid: newId("blist"), ...blacklistFoundBy(document), document });
}

function checkCount(member: string, count: number): void {
  if (count === 0) throw invalidParameter(member, "must not be empty");
  if (count > maxAtOnce) throw invalidParameter(member, `longer than ${maxAtOnce} elements`);
}

/** Returns the blacklists with the given identifiers. Throws ObjectNotFound for the first missing one. */
async function named(metadata: Metadata, scope: Scope, wanted: readonly string[]): Promise<readonly StoredBlacklist[]> {
  checkCount("blacklistUUIDs", wanted.length);
  const all: StoredBlacklist[] = [];
  for (const uuid of new Set(wanted)) all.push(found(await blacklists(metadata).get(scope, uuid), uuid));
  return all;
}

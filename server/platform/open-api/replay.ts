// The routes that return session replays, which browsers have sent to the workspace.

import { objectNotFound } from "./protocol/errors.ts";
import { pagedOf, pageOf, pageParameters } from "./protocol/page.ts";
import { declare, declareList, type Route } from "./protocol/route.ts";
import { integer, mapOf, object, optional, text } from "./protocol/schema.ts";
import { partShape, type ReplayPart, type ReplaySession, sessionShape } from "./replay-parts.ts";

const group = "Session replays";
const sessionId = "a1f0c5d2-7e8b-4a12-96c3-f8e7d6b5a401";
const partId = "0a6e3c51d7f84b92a4e1c5d6b7f80923";

const session = object({
  bytes: integer({ about: "size of all parts, in bytes" }),
  firstAt: integer({ about: "time when the platform received the first part of the session, in ms since 1970" }),
  lastAt: integer({ about: "time when the platform received the newest part of the session, in ms since 1970" }),
  parts: integer({ about: "number of parts; each upload is one part" }),
  session: text({ about: "identifier of the session: session_id of the uploads" }),
});

const part = { at: integer({ about: "time when the part arrived, in ms since 1970" }), bytes: integer(), uuid: text() };

const sessions = declareList({
  name: "listReplays",
  method: "GET",
  path: "/replay/list",
  group,
  summary: "Lists the sessions that have replays; the session with the newest part comes first.",
  query: pageParameters,
  answer: session,
  examples: [
    {
      title: "All of them",
      content: [{ bytes: 48_210, firstAt: 1_700_000_000_123, lastAt: 1_700_000_060_456, parts: 3, session: sessionId }],
      totalCount: 1,
    },
  ],
  handle: async ({ services, scope, query }) => {
    const rows = await services.replays.sessions(scope.pointsId);
    return pagedOf(
      rows.map(({ ...row }: ReplaySession) => row),
      pageOf(query),
    );
  },
});

const parts = declareList({
  name: "listReplayParts",
  method: "GET",
  path: "/replay/{session}/part/list",
  ids: { session: sessionShape },
  group,
  summary: "Lists the parts of a session's replay, in the order of their arrival.",
  query: pageParameters,
  answer: object(part),
  examples: [
    {
      title: "Those of a session",
      ids: { session: sessionId },
      content: [{ at: 1_700_000_000_123, bytes: 16_070, uuid: partId }],
      totalCount: 1,
    },
  ],
  handle: async ({ services, scope, ids, query }) => {
    const rows = await services.replays.parts(scope.pointsId, ids.session!);
    if (rows.length === 0) throw objectNotFound(ids.session!);
    return pagedOf(
      rows.map(({ ...row }: ReplayPart) => row),
      pageOf(query),
    );
  },
});

const one = declare({
  name: "getReplayPart",
  method: "GET",
  path: "/replay/{session}/get",
  ids: { session: sessionShape },
  group,
  summary: "Fetches a part of a session's replay.",
  query: { part: optional(text({ max: 32, about: "uuid of the part; default: the first part of the session" })) },
  answer: object({
    ...part,
    body: text({ min: 0, about: "the multipart form as it was sent, decompressed, in base64" }),
    contentType: text({ about: "Content-Type of the multipart form, with its boundary" }),
    values: mapOf(text({ min: 0 }), { about: "the values of the form that are not files, by name" }),
  }),
  examples: [
    {
      title: "One of them",
      ids: { session: sessionId },
      query: { part: partId },
      content: {
        at: 1_700_000_000_123,
        body: "LS1iDQo=",
        bytes: 16_070,
        contentType: "multipart/form-data; boundary=b",
        uuid: partId,
        values: { app_id: "shop", session_id: sessionId },
      },
    },
  ],
  handle: async ({ services: { replays }, scope, ids, query }) => {
    const session = ids.session!;
    const part = query.part ?? (await replays.parts(scope.pointsId, session))[0]?.uuid ?? "";
    const kept = partShape.test(part) ? await replays.part(scope.pointsId, session, part) : undefined;
    if (kept === undefined) throw objectNotFound(query.part ?? session);
    return { ...kept };
  },
});

export const replayRoutes: readonly Route[] = [sessions, parts, one];

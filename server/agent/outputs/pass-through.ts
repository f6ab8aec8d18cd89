// Bodies that the agent passes to a gateway unchanged, such as session replays. For each kind of body, this file holds
// the name of its queue and the URL path at the gateway.

export const passThroughPaths = { rum_replay: "/v1/write/rum/replay" } as const;

export type PassThroughKind = keyof typeof passThroughPaths;

export interface PassThrough {
  readonly body: Uint8Array;
  readonly contentType: string;
  /** Value of the client's header Content-Encoding; empty when there is none. */
  readonly contentEncoding: string;
  /** Value of the header X-Global-Tags, possibly empty; undefined when the upload has no such header. */
  readonly globalTags: string | undefined;
}

export function isPassThroughKind(name: string): name is PassThroughKind {
  return Object.hasOwn(passThroughPaths, name);
}

/**
 * Returns a description of a queue's contents for log messages. For bodies that are passed on unchanged, the number of
 * points is unknown, so the description does not contain it.
 */
export function carried(category: string, points: number): string {
  return isPassThroughKind(category) ? `requests of ${category}` : `${points} points of ${category}`;
}

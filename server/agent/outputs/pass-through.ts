// Bodies that the agent hands on as they came: names of their queues, and where gateways take them.

export const passThroughPaths = { rum_replay: "/v1/write/rum/replay" } as const;

export type PassThroughKind = keyof typeof passThroughPaths;

export interface PassThrough {
  readonly body: Uint8Array;
  readonly contentType: string;
  /** As sent; empty when there is none. */
  readonly contentEncoding: string;
  /** Value of X-Global-Tags, possibly empty; without it there is no such header. */
  readonly globalTags: string | undefined;
}

export function isPassThroughKind(name: string): name is PassThroughKind {
  return Object.hasOwn(passThroughPaths, name);
}

/** In messages: of bodies that are handed on as they came no points are known. */
export function carried(category: string, points: number): string {
  return isPassThroughKind(category) ? `requests of ${category}` : `${points} points of ${category}`;
}

// Bodies that the agent hands on as they came: names of their queues, and where gateways take them.

export const opaquePaths = { rum_replay: "/v1/write/rum/replay" } as const;

export type OpaqueKind = keyof typeof opaquePaths;

export interface Opaque {
  readonly body: Uint8Array;
  readonly contentType: string;
  /** As sent; empty when there is none. */
  readonly contentEncoding: string;
  /** Value of X-Global-Tags, possibly empty; without it there is no such header. */
  readonly globalTags: string | undefined;
}

export function isOpaqueKind(name: string): name is OpaqueKind {
  return Object.hasOwn(opaquePaths, name);
}

/** In messages: of bodies that are handed on as they came no points are known. */
export function carried(category: string, points: number): string {
  return isOpaqueKind(category) ? `requests of ${category}` : `${points} points of ${category}`;
}

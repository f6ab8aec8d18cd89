// The workspace and the actor for whom the metadata store is used.

export interface Scope {
  /** The identifier of the workspace, `wksp_...`. */
  readonly workspace: string;
  /** The workspace's id in the points store. */
  readonly pointsId: string;
  readonly actor: Actor;
  /** The trace id of the request, for the audit log. */
  readonly traceId: string;
}

/** The actor of a change: an API key. */
export interface Actor {
  /** The identifier of the key, `wsak_...`. */
  readonly uuid: string;
  readonly name: string;
  readonly roles: readonly string[];
}

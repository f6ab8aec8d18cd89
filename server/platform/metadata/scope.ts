// The scope of a call to the metadata store: the workspace whose data it may use, and the actor of its changes.

export interface Scope {
  /** The identifier of the workspace, `wksp_...`. */
  readonly workspace: string;
  /** The id under which the points store keeps the points of the workspace. */
  readonly pointsId: string;
  readonly actor: Actor;
  /** The trace id of the request that makes a change. The audit log records it with the change. */
  readonly traceId: string;
}

/** The actor who makes a change: an API key. */
export interface Actor {
  /** The identifier of the key, `wsak_...`. */
  readonly uuid: string;
  readonly name: string;
  readonly roles: readonly string[];
}

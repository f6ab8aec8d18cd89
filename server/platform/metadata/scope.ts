// The scope of a call to the metadata store: the workspace whose data it may use, and the actor of its changes.

export interface Scope {
  /** The identifier of the workspace, `wksp_...`. */
  readonly workspace: string;
  /** The id under which the points store keeps the points of the workspace. */
  readonly pointsId: string;
  readonly actor: Actor;
  /** The trace id of the request, which the audit log records. */
  readonly traceId: string;
}

/** The actor of a change: an API key. */
export interface Actor {
  /** The identifier of the key, `wsak_...`. */
  readonly uuid: string;
  readonly name: string;
  readonly roles: readonly string[];
}

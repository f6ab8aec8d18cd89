// The scope of a call to the metadata store. It names the workspace whose data the call may use, and the actor
// (an API key) in whose name changes are made.

export interface Scope {
  /** The identifier of the workspace, `wksp_...`. */
  readonly workspace: string;
  /** The id under which the points store keeps the points of the workspace. */
  readonly pointsId: string;
  readonly actor: Actor;
  /** The trace id of the request that makes the changes. The audit log contains it in the entry of each change. */
  readonly traceId: string;
}

/** The actor who makes a change: an API key. */
export interface Actor {
  /** The identifier of the key, `wsak_...`. */
  readonly uuid: string;
  readonly name: string;
  readonly roles: readonly string[];
}

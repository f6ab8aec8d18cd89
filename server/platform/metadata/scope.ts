// On whose behalf the metadata store is used.

export interface Scope {
  /** `wksp_...`. */
  readonly workspace: string;
  /** The workspace's name in the points store. */
  readonly pointsId: string;
  readonly actor: Actor;
  /** Of the request, for the audit log. */
  readonly traceId: string;
}

/** Who changes something: an API key. */
export interface Actor {
  /** `wsak_...`. */
  readonly uuid: string;
  readonly name: string;
  readonly roles: readonly string[];
}

// The types for session replays (recordings of what a user did in a browser): an upload, a session, the parts of
// a session, and the interface of the store for them.

export interface ReplayUpload {
  /**
   * The id of the upload; empty when it has none. When several uploads have the same id, only one of them is
   * stored.
   */
  readonly id: string;
  readonly session: string;
  readonly contentType: string;
  /** The values of the multipart form, without its files. */
  readonly values: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export interface ReplaySession {
  readonly session: string;
  readonly parts: number;
  readonly bytes: number;
  /** The times at which the platform received the first and the last part of the session, in ms since 1970. */
  readonly firstAt: number;
  readonly lastAt: number;
}

export interface ReplayPart {
  readonly uuid: string;
  /** The time at which the platform received this part of the session, in ms since 1970. */
  readonly at: number;
  readonly bytes: number;
}

export interface KeptReplay extends ReplayPart, Pick<ReplayUpload, "contentType" | "values"> {
  /** The body of the upload, encoded in base64. */
  readonly body: string;
}

export interface Replays {
  /**
   * Stores an upload. Resolves when the upload is on the disk. Throws TooManyReplays when the store for replays is
   * full.
   */
  put(workspace: string, upload: ReplayUpload): Promise<void>;
  /** Returns the sessions of a workspace; the session with the newest part comes first. */
  sessions(workspace: string): Promise<readonly ReplaySession[]>;
  /** Returns the parts of a session in the order in which they arrived. */
  parts(workspace: string, session: string): Promise<readonly ReplayPart[]>;
  part(workspace: string, session: string, uuid: string): Promise<KeptReplay | undefined>;
  /** Deletes parts that were received before a time (ms since 1970). Returns the number of deleted parts. */
  expire(before: number): Promise<number>;
}

/**
 * The patterns of session ids and part ids. They allow only a few characters, because the ids are also used as
 * names of files and folders.
 */
export const sessionShape = /^[0-9A-Za-z][0-9A-Za-z_-]{0,127}$/;
export const partShape = /^[0-9a-f]{32}$/;

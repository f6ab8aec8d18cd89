// Types of session replays: an upload, a session, its parts, and the interface of the storage that keeps them.

export interface ReplayUpload {
  /** An upload that comes again with the same id is kept once; empty: it has none. */
  readonly id: string;
  readonly session: string;
  readonly contentType: string;
  /** The values of the form that are no files. */
  readonly values: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export interface ReplaySession {
  readonly session: string;
  readonly parts: number;
  readonly bytes: number;
  /** ms since 1970, of the first and the last part. */
  readonly firstAt: number;
  readonly lastAt: number;
}

export interface ReplayPart {
  readonly uuid: string;
  /** ms since 1970: when it was taken. */
  readonly at: number;
  readonly bytes: number;
}

export interface KeptReplay extends ReplayPart, Pick<ReplayUpload, "contentType" | "values"> {
  /** In base64. */
  readonly body: string;
}

export interface Replays {
  /** Resolves when the upload is on the disk. Throws TooManyReplays. */
  put(workspace: string, upload: ReplayUpload): Promise<void>;
  /** The session with the newest part comes first. */
  sessions(workspace: string): Promise<readonly ReplaySession[]>;
  /** In the order in which they came. */
  parts(workspace: string, session: string): Promise<readonly ReplayPart[]>;
  part(workspace: string, session: string, uuid: string): Promise<KeptReplay | undefined>;
  /** Deletes what was taken before that time, ms since 1970; gives the number of parts. */
  expire(before: number): Promise<number>;
}

/** Ids of sessions and parts are names of files. */
export const sessionShape = /^[0-9A-Za-z][0-9A-Za-z_-]{0,127}$/;
export const partShape = /^[0-9a-f]{32}$/;

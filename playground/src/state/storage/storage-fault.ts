// The reasons why the browser does not store drafts.

/**
 * `denied`: the browser lets the page store nothing. `blocked`: another tab with an older version of the page has the
 * database open. `outdated`: another tab with a newer version of the page has opened the database. `full`: there is no
 * more space. `failed`: any other reason.
 */
export type FaultKind = "denied" | "blocked" | "outdated" | "full" | "failed";

export interface StorageFault {
  readonly kind: FaultKind;
  /** The error message of the browser; empty when there is none. */
  readonly reason: string;
}

const kinds: Readonly<Record<string, FaultKind>> = {
  SecurityError: "denied",
  NotAllowedError: "denied",
  // IndexedDB reports this error when a newer version of the page has already changed the database, so this page
  // is outdated.
  VersionError: "outdated",
  QuotaExceededError: "full",
};

/** Returns why an operation of IndexedDB has failed. */
export function faultOf(error: unknown): StorageFault {
  const { name = "", message = String(error) } = (error ?? {}) as Partial<Error>;
  return { kind: kinds[name] ?? "failed", reason: message.slice(0, 200) };
}

/** Whether the page tries again by itself to store a draft. */
export const triesAgain = ({ kind }: StorageFault): boolean => kind === "full" || kind === "failed";

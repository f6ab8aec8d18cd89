// Loads the country database for the script function `geoip`. The database is fetched when a script needs it for
// the first time, and then stays in memory.

import type { MillraceOptions } from "../../../lib/index.ts";

export type PlaceLookup = NonNullable<MillraceOptions["geoip"]>;

/** How the page gets a database: its URL, a function that fetches it, and a function that reads its bytes. */
export interface DatabaseSource {
  readonly url: string;
  readonly fetch: (url: string) => Promise<Response>;
  /** Reads the database from its bytes. Throws when the bytes are not a valid database. */
  readonly read: (bytes: Uint8Array<ArrayBuffer>) => PlaceLookup | Promise<PlaceLookup>;
}

export class CountryDatabase {
  private readonly source: DatabaseSource;
  private loading: Promise<string> | null = null;
  /** The function that finds the country of an IP address; null until the database has been loaded. */
  lookup: PlaceLookup | null = null;
  /** Number of bytes of the database received so far. */
  bytes = 0;

  constructor(source: DatabaseSource) {
    this.source = source;
  }

  /**
   * Starts loading the database, or waits for the load in progress. Resolves to an empty string on success, or to the
   * reason of a failure. After a failure the next call tries again.
   */
  load(): Promise<string> {
    if (this.lookup !== null) return Promise.resolve("");
    this.loading ??= this.fetchAll().then(
      () => "",
      (error: unknown) => {
        this.loading = null;
        return error instanceof Error ? error.message : String(error);
      },
    );
    return this.loading;
  }

  private async fetchAll(): Promise<void> {
    const { url, fetch, read } = this.source;
    this.bytes = 0;
    const response = await fetch(url);
    if (!response.ok || response.body === null) throw new Error(`HTTP status ${response.status}`);
    const pieces: Uint8Array<ArrayBuffer>[] = [];
    const body = response.body.getReader();
    for (let next = await body.read(); !next.done; next = await body.read()) {
      pieces.push(next.value);
      this.bytes += next.value.length;
    }
    this.lookup = await read(new Uint8Array(await new Blob(pieces).arrayBuffer()));
  }
}

const pauseMs = 100;

/**
 * Waits until the database is loaded, and calls `onBytes` with the number of bytes received so far. Resolves to
 * an empty string when the database is loaded or `stopped` returns true; resolves to the reason when loading
 * fails.
 */
export async function loadCountries(
  database: CountryDatabase,
  stopped: () => boolean,
  onBytes: (bytes: number) => void,
): Promise<string> {
  let reason: string | null = null;
  const loaded = database.load().then((text) => {
    reason = text;
  });
  while (reason === null && !stopped()) {
    onBytes(database.bytes);
    await Promise.race([loaded, new Promise((resolve) => setTimeout(resolve, pauseMs))]);
  }
  return reason ?? "";
}

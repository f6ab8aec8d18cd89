// The country database for `geoip`: fetched when a script asks for the first time, and kept.

import type { MillraceOptions } from "../../../lib/index.ts";

export type PlaceLookup = NonNullable<MillraceOptions["geoip"]>;

/** How a database comes to the page. */
export interface DatabaseSource {
  readonly url: string;
  readonly fetch: (url: string) => Promise<Response>;
  /** Throws when the bytes are no database. */
  readonly read: (bytes: Uint8Array<ArrayBuffer>) => PlaceLookup | Promise<PlaceLookup>;
}

export class CountryDatabase {
  private readonly source: DatabaseSource;
  private loading: Promise<string> | null = null;
  /** Null until it has been loaded. */
  lookup: PlaceLookup | null = null;
  /** Bytes that have come in. */
  bytes = 0;

  constructor(source: DatabaseSource) {
    this.source = source;
  }

  /** Begins to load, or goes on. Gives the reason when it cannot be loaded, else an empty text; the next call tries again. */
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

/** Loads the database unless `stopped`; tells how far it is. Gives the reason when it cannot be loaded, else an empty text. */
export async function loadCountries(
  database: CountryDatabase,
  stopped: () => boolean,
  tell: (bytes: number) => void,
): Promise<string> {
  let reason: string | null = null;
  const loaded = database.load().then((text) => {
    reason = text;
  });
  while (reason === null && !stopped()) {
    tell(database.bytes);
    await Promise.race([loaded, new Promise((resolve) => setTimeout(resolve, pauseMs))]);
  }
  return reason ?? "";
}

// Reads the country database with the package that the server also uses. This file is only loaded together with the
// database.

import { Reader, type Response } from "mmdb-lib";
import { mmdbPlace } from "../../../lib/index.ts";
import type { PlaceLookup } from "./country-database.ts";
import { FileBytes } from "./file-bytes.ts";

/** Returns a function that looks an address up in a database. Throws when the bytes are not a valid database. */
export function readCountries(bytes: Uint8Array<ArrayBuffer>): PlaceLookup {
  const file = new FileBytes(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const reader = new Reader<Response>(file as unknown as ConstructorParameters<typeof Reader>[0]);
  return (ip) => mmdbPlace(reader.get(ip));
}

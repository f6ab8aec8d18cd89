// Converts records of MMDB databases to the geographic place that `geoip` writes (docs/reference/functions.md#geoip).
// The program that uses the library reads the database file.

import { refuse } from "../../../text/argument.ts";
import type { Place } from "../../runtime/run.ts";

type Names = { readonly en?: string };

/**
 * The members that describe a geographic place in the records of common MMDB databases. Some databases nest the members
 * in objects (`country.iso_code`); others have them at the top level (`country_code`).
 */
interface PlaceRecord {
  readonly country?: { readonly iso_code?: string };
  readonly country_code?: string;
  readonly subdivisions?: readonly { readonly names?: Names }[];
  readonly state1?: string;
  readonly city?: string | { readonly names?: Names };
}

interface ProviderRecord {
  readonly isp?: string;
  readonly autonomous_system_organization?: string;
}

/**
 * Returns the geographic place of an IP address from its record in a city or country database and its record in a
 * provider database. Returns null when there is no record.
 *
 * @example
 * mmdbPlace({ country: { iso_code: "IT" }, city: { names: { en: "Rome" } } })?.city; // "Rome"
 */
export function mmdbPlace(placeRecord: unknown, providerRecord: unknown = null): Place | null {
  requireRecord("placeRecord", placeRecord);
  requireRecord("providerRecord", providerRecord);
  const place = placeRecord as PlaceRecord | null;
  const provider = providerRecord as ProviderRecord | null;
  if ((place ?? provider ?? null) === null) return null;
  const { city } = place ?? {};
  return {
    city: typeof city === "object" ? city.names?.en : city,
    province: place?.subdivisions?.[0]?.names?.en ?? place?.state1,
    country: place?.country?.iso_code ?? place?.country_code,
    isp: provider?.isp ?? provider?.autonomous_system_organization,
  };
}

/**
 * Throws a TypeError unless the argument is a record of a database, null or undefined. A database that has no record of
 * an address returns null or undefined.
 */
function requireRecord(argument: string, record: unknown): void {
  const isRecord = typeof record === "object" && !Array.isArray(record) && !(record instanceof Date);
  if (!isRecord && record !== undefined) refuse("mmdbPlace", argument, "a record of a database, or null", record);
}

// Where an IP address lies, out of MMDB files: a country-level database that is installed with the server, or the user's
// own files; or out of a table of networks. They are read when the first address is asked for.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Reader, type Response } from "maxmind";
import { cidrLookup, parseCidrTable } from "../../lib/pipeline/cidr-table.ts";
import type { Place } from "../../lib/pipeline/run.ts";

export type GeoipFiles = MmdbFiles | CidrFile;

/** A table of networks, CSV or JSON. */
export interface CidrFile {
  readonly networks: string;
}

export interface MmdbFiles {
  /** City or country level, .mmdb; empty: the country database that is installed with the server. */
  readonly places: string;
  /** Providers, .mmdb; empty: none. */
  readonly providers: string;
}

export type GeoipLookup = (ip: string) => Place | null;

const bundled = "@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb";

type Names = { readonly en?: string };

/** The members of the usual databases: nested as in the city databases, or flat. */
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

/** Throws, at the first address, when a file cannot be read. */
export function createGeoip(files: GeoipFiles): GeoipLookup {
  return "networks" in files ? createCidrGeoip(files) : createMmdbGeoip(files);
}

function createCidrGeoip({ networks }: CidrFile): GeoipLookup {
  let open: GeoipLookup | null = null;
  return (ip) => {
    open ??= cidrLookup(parseCidrTable(readFileSync(networks, "utf8")));
    return open(ip);
  };
}

function createMmdbGeoip(files: MmdbFiles): GeoipLookup {
  let open: { places: Reader<Response>; providers: Reader<Response> | null } | null = null;
  return (ip) => {
    open ??= { places: reader(files.places), providers: files.providers === "" ? null : reader(files.providers) };
    const place = open.places.get(ip) as PlaceRecord | null;
    const provider = (open.providers?.get(ip) ?? null) as ProviderRecord | null;
    if (place === null && provider === null) return null;
    const { city } = place ?? {};
    return {
      city: typeof city === "object" ? city.names?.en : city,
      province: place?.subdivisions?.[0]?.names?.en ?? place?.state1,
      country: place?.country?.iso_code ?? place?.country_code,
      isp: provider?.isp ?? provider?.autonomous_system_organization,
    };
  };
}

function reader(file: string): Reader<Response> {
  return new Reader(readFileSync(file === "" ? createRequire(import.meta.url).resolve(bundled) : file));
}

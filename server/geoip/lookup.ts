// Finds the location of an IP address, either in MMDB files or in a table of networks. The MMDB files are
// supplied by the user; without them, the country database that is installed with the server is used. The files
// are read when the first address is looked up.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Reader, type Response } from "maxmind";
import { cidrLookup, mmdbPlace, type Place, parseCidrTable } from "../../lib/pipeline/index.ts";

export type GeoipFiles = MmdbFiles | CidrFile;

/** The path of a file with a table of networks and their locations, in CSV or JSON. */
export interface CidrFile {
  readonly networks: string;
}

export interface MmdbFiles {
  /**
   * The path of an MMDB file with cities or countries. Empty: the country database that is installed with the
   * server is used.
   */
  readonly places: string;
  /** The path of an MMDB file with internet providers. Empty: no provider is looked up. */
  readonly providers: string;
}

export type GeoipLookup = (ip: string) => Place | null;

/** The prefix of the file name of the country database that is installed with the server. */
export const countryFileName = "geo-whois-asn-country";

/** Returns the path of the installed country database. Throws when the database is not installed. */
export function countryFile(): string {
  return createRequire(import.meta.url).resolve(`@ip-location-db/${countryFileName}-mmdb/${countryFileName}.mmdb`);
}

/** Returns a function that looks up addresses. When a file cannot be read, the first call of the function throws. */
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
    return mmdbPlace(open.places.get(ip), open.providers?.get(ip) ?? null);
  };
}

function reader(file: string): Reader<Response> {
  return new Reader(readFileSync(file === "" ? countryFile() : file));
}

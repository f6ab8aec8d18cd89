// What records of MMDB databases say of an address, as `geoip` writes it (docs/reference/functions.md#geoip). Who reads the file is the
// host's choice.

import type { Place } from "../../runtime/run.ts";

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

/** The place of an address by its records in a city or country database and in one of providers; null when neither knows it. */
export function mmdbPlace(placeRecord: unknown, providerRecord: unknown = null): Place | null {
  const place = placeRecord as PlaceRecord | null;
  const provider = providerRecord as ProviderRecord | null;
  if (place === null && provider === null) return null;
  const { city } = place ?? {};
  return {
    city: typeof city === "object" ? city.names?.en : city,
    province: place?.subdivisions?.[0]?.names?.en ?? place?.state1,
    country: place?.country?.iso_code ?? place?.country_code,
    isp: provider?.isp ?? provider?.autonomous_system_organization,
  };
}

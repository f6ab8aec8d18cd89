// The only place that resolves names. Checks every address, and connections go only to checked addresses. So a name
// that changes its address after the check gains nothing (docs/reference/agent.md#dial-tests).

import { lookup } from "node:dns/promises";
import type { LookupFunction } from "node:net";
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { network } from "../../config/forms.ts";
import { isInNetworks, parseNetworks } from "../../config/networks.ts";
import { isPublic } from "../../outbound/guarded-fetch.ts";

export interface Address {
  readonly address: string;
  readonly family: 4 | 6;
}

/** Thrown when the address is in a forbidden network. */
export class Forbidden extends Error {}

/** Thrown when the name has no address. */
export class Unresolved extends Error {}

export interface Network {
  /** Returns the addresses of a host, at least one. Throws Forbidden or Unresolved. */
  resolve(host: string): Promise<readonly [Address, ...Address[]]>;
}

export interface NetworkOptions {
  readonly check: boolean;
  /** Forbidden networks and addresses. When empty, everything except public unicast addresses is forbidden. */
  readonly cidrs: readonly string[];
  readonly lookup?: (host: string) => Promise<readonly Address[]>;
}

export function createNetwork({ check, cidrs, lookup: look = systemLookup }: NetworkOptions): Network {
  // Entries in another form were already reported when the configuration was read.
  const networks = parseNetworks(cidrs.filter(network.fits));
  const isForbidden = (text: string): boolean => {
    const address = plain(text).toString();
    return networks.length === 0 ? !isPublic(address) : isInNetworks(address, networks);
  };
  return {
    resolve: async (name) => {
      const host = name.replace(/^\[(.*)\]$/, "$1");
      const addresses = isIP(host) !== 0 ? [literal(host)] : await look(host);
      if (addresses.length === 0) throw new Unresolved(`lookup ip failed: ${host} has no address`);
      if (check && addresses.some(({ address }) => isForbidden(address))) {
        throw new Forbidden(`dest host [${host}] is not allowed to be tested`);
      }
      return addresses as [Address, ...Address[]];
    },
  };
}

function literal(host: string): Address {
  return { address: host, family: isIP(host) === 4 ? 4 : 6 };
}

/**
 * Returns the address without its zone. Returns the IPv4 address of an IPv4-mapped IPv6 address or of a NAT64 address.
 */
function plain(text: string): ipaddr.IPv4 | ipaddr.IPv6 {
  const address = ipaddr.process(text.replace(/%.*$/, ""));
  if (address.kind() === "ipv6" && address.range() === "rfc6052") {
    return new ipaddr.IPv4(address.toByteArray().slice(12));
  }
  return address;
}

async function systemLookup(host: string): Promise<readonly Address[]> {
  try {
    return (await lookup(host, { all: true })) as Address[];
  } catch (error) {
    throw new Unresolved(`lookup ip failed: ${(error as Error).message}`);
  }
}

/** Returns a lookup function for a socket that returns these addresses for every name. */
export function pinned(addresses: readonly [Address, ...Address[]]): LookupFunction {
  return (_host, options, callback) => {
    if (options.all) callback(null, [...addresses]);
    else callback(null, addresses[0].address, addresses[0].family);
  };
}

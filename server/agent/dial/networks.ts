// The only code that resolves the host names of dial tests. It checks every resolved address, and connections
// are opened only to checked addresses. Without this rule, an attacker could pass the check and then change the
// address of the host name to one in a forbidden network (docs/reference/agent.md#dial-tests).

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

/** Thrown when a host of a dial test has an address in a forbidden network. */
export class Forbidden extends Error {}

/** Thrown when the host name of a dial test has no address. */
export class Unresolved extends Error {}

export interface Network {
  /** Resolves a host name. Returns at least one address. Throws Forbidden or Unresolved. */
  resolve(host: string): Promise<readonly [Address, ...Address[]]>;
}

export interface NetworkOptions {
  readonly check: boolean;
  /**
   * Networks (CIDR) and addresses that dial tests must not reach. When the list is empty, dial tests may reach
   * only public unicast addresses.
   */
  readonly cidrs: readonly string[];
  readonly lookup?: (host: string) => Promise<readonly Address[]>;
}

export function createNetwork({ check, cidrs, lookup = systemLookup }: NetworkOptions): Network {
  // Skips invalid networks in the list. They were already reported when the configuration was read.
  const networks = parseNetworks(cidrs.filter(network.fits));
  const isForbidden = (text: string): boolean => {
    const address = plain(text).toString();
    return networks.length === 0 ? !isPublic(address) : isInNetworks(address, networks);
  };
  return {
    resolve: async (name) => {
      const host = name.replace(/^\[(.*)\]$/, "$1");
      const addresses = isIP(host) !== 0 ? [literal(host)] : await lookup(host);
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
 * Parses an IP address; ignores the zone of an IPv6 address (`%eth0`). An IPv4-mapped IPv6 address and a NAT64 address
 * become the IPv4 address that they contain.
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

/** Returns a DNS lookup function for sockets that answers every host name with the given addresses. */
export function pinned(addresses: readonly [Address, ...Address[]]): LookupFunction {
  return (_host, options, callback) => {
    if (options.all) callback(null, [...addresses]);
    else callback(null, addresses[0].address, addresses[0].family);
  };
}

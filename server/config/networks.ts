// Parses IP networks in the configuration and checks whether an address belongs to one of them.

import ipaddr from "ipaddr.js";

export type Network = [ipaddr.IPv4 | ipaddr.IPv6, number];

/** Parses networks such as `10.0.0.0/8`, and single addresses. Throws for any other string. */
export function parseNetworks(cidrs: readonly string[]): Network[] {
  return cidrs.map((cidr) => {
    if (cidr.includes("/")) return ipaddr.parseCIDR(cidr) as Network;
    const address = ipaddr.parse(cidr);
    return [address, address.kind() === "ipv4" ? 32 : 128];
  });
}

/** Returns whether an address belongs to one of the networks; false for a string that is not an address. */
export function isInNetworks(text: string, networks: readonly Network[]): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  return networks.some(
    ([network, bits]) => network.kind() === address.kind() && address.match(network as ipaddr.IPv6, bits),
  );
}

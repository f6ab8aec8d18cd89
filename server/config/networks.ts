// Networks as a configuration names them.

import ipaddr from "ipaddr.js";

export type Network = [ipaddr.IPv4 | ipaddr.IPv6, number];

/** `10.0.0.0/8`, or one address. Throws for anything else. */
export function parseNetworks(cidrs: readonly string[]): Network[] {
  return cidrs.map((cidr) => {
    if (cidr.includes("/")) return ipaddr.parseCIDR(cidr) as Network;
    const address = ipaddr.parse(cidr);
    return [address, address.kind() === "ipv4" ? 32 : 128];
  });
}

/** False for what is no address. */
export function isInNetworks(text: string, networks: readonly Network[]): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  return networks.some(
    ([network, bits]) => network.kind() === address.kind() && address.match(network as ipaddr.IPv6, bits),
  );
}

// Tests whether an IPv4 or IPv6 address lies in a network.

/**
 * Returns a function that tests whether an address lies in a network such as `10.0.0.0/8`; undefined when the string is
 * not a network.
 */
export function cidrTest(network: string): ((address: string) => boolean) | undefined {
  const [base = "", prefix = ""] = network.split("/");
  const bytes = addressBytes(base);
  const bits = Number(prefix);
  if (bytes === undefined || !/^[0-9]{1,3}$/.test(prefix) || bits > bytes.length * 8) return undefined;
  return (text) => {
    const address = addressBytes(text.trim());
    return address?.length === bytes.length && samePrefix(address, bytes, bits);
  };
}

function samePrefix(a: readonly number[], b: readonly number[], bits: number): boolean {
  for (let at = 0; at * 8 < bits; at++) {
    const mask = bits - at * 8 >= 8 ? 0xff : 0xff & (0xff << (8 - (bits - at * 8)));
    if ((a[at]! & mask) !== (b[at]! & mask)) return false;
  }
  return true;
}

function addressBytes(text: string): readonly number[] | undefined {
  if (!text.includes(":")) return ipv4(text);
  const embedded = /^(.*:)([0-9]+\.[0-9]+\.[0-9]+\.[0-9]+)$/.exec(text);
  if (embedded === null) return ipv6(text);
  const last = ipv4(embedded[2]!);
  return last && ipv6(`${embedded[1]}${hex(last[0]!, last[1]!)}:${hex(last[2]!, last[3]!)}`);
}

function hex(high: number, low: number): string {
  return ((high << 8) | low).toString(16);
}

function ipv4(text: string): readonly number[] | undefined {
  const parts = text.split(".");
  if (parts.length !== 4 || !parts.every((part) => /^(?:0|[1-9][0-9]{0,2})$/.test(part) && Number(part) < 256))
    return undefined;
  return parts.map(Number);
}

function ipv6(text: string): readonly number[] | undefined {
  const halves = text.split("::");
  if (halves.length > 2) return undefined;
  const [head, tail] = halves.map((half) => (half === "" ? [] : half.split(":"))) as [string[], string[]?];
  const missing = 8 - head.length - (tail?.length ?? 0);
  if (tail === undefined ? missing !== 0 : missing < 1) return undefined;
  const groups = [...head, ...(tail === undefined ? [] : [...Array<string>(missing).fill("0"), ...tail])];
  if (!groups.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group))) return undefined;
  return groups.flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 0xff]);
}

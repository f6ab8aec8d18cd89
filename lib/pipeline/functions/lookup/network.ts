// The function cidr: tests whether an IP address lies in a network (docs/reference/functions.md#cidr).

import type { Evaluate } from "../../runtime/code.ts";
import { isText, textOf, type Value } from "../../runtime/value.ts";
import { type Call, type Declaration, declare } from "../declare.ts";

interface Address {
  readonly bits: 32 | 128;
  readonly value: bigint;
}

function parseV4(text: string): bigint | undefined {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text);
  if (match === null) return undefined;
  let value = 0n;
  for (const part of match.slice(1)) {
    if (Number(part) > 255 || (part.length > 1 && part.startsWith("0"))) return undefined;
    value = (value << 8n) | BigInt(part);
  }
  return value;
}

/** Parses an IPv4 address (four dotted numbers) or an IPv6 address; returns undefined for any other text. */
export function parseAddress(text: string): Address | undefined {
  if (!text.includes(":")) {
    const value = parseV4(text);
    return value === undefined ? undefined : { bits: 32, value };
  }
  let body = text;
  const tail = /[^:]*\.[^:]*$/.exec(text)?.[0];
  if (tail !== undefined) {
    const embedded = parseV4(tail);
    if (embedded === undefined) return undefined;
    body = `${text.slice(0, -tail.length)}${(embedded >> 16n).toString(16)}:${(embedded & 0xffffn).toString(16)}`;
  }
  const halves = body.split("::");
  if (halves.length > 2) return undefined;
  const groups = halves.map((half) => (half === "" ? [] : half.split(":")));
  const all = groups.flat();
  if (!all.every((group) => /^[0-9A-Fa-f]{1,4}$/.test(group))) return undefined;
  if (halves.length === 1 ? all.length !== 8 : all.length > 7) return undefined;
  const [before = [], after = []] = groups;
  const full = [...before, ...new Array<string>(8 - all.length).fill("0"), ...after];
  return { bits: 128, value: full.reduce((value, group) => (value << 16n) | BigInt(`0x${group}`), 0n) };
}

/**
 * Parses a network such as `10.0.0.0/8` into its address and its number of leading bits; returns undefined when the
 * text is not a network.
 */
function parseNetwork(text: string): { readonly base: Address; readonly length: number } | undefined {
  const match = /^([^/]+)\/(0|[1-9]\d{0,2})$/.exec(text);
  const base = parseAddress(match?.[1] ?? "");
  const length = Number(match?.[2]);
  return base === undefined || length > base.bits ? undefined : { base, length };
}

function inNetwork(ip: string, network: string): boolean {
  const [address, its] = [parseAddress(ip), parseNetwork(network)];
  if (address === undefined || its === undefined || address.bits !== its.base.bits) return false;
  const shift = BigInt(address.bits - its.length);
  return address.value >> shift === its.base.value >> shift;
}

/**
 * Returns a reader of a string argument. For a literal the reader returns the literal's value; for a name or
 * path, the value of the variable or key with this name; for a call, the result of the call.
 */
function textArgument(call: Call, index: number): Evaluate {
  const node = call.arg(index);
  if (node?.kind === "Identifier" || node?.kind === "AttrExpr") {
    const { read } = call.key(index);
    return (run): Value => read(run) ?? null;
  }
  if (node?.kind !== "StringLiteral" && node?.kind !== "CallExpr")
    call.fail(`expect StringLiteral, Identifier or AttrExpr, got ${node?.kind}`, node);
  return call.value(index);
}

export const cidr = declare({
  name: "cidr",
  summary: "Tells whether an IP address lies in a network.",
  params: [
    { name: "ip", type: "str", summary: "the address" },
    { name: "prefix", type: "str", summary: "the network, such as 10.0.0.0/8 or 2001:db8::/32" },
  ],
  returns: "bool",
  style: "positional",
  arity: { min: 2, max: 2, tooFew: "func cidr expects 2 args" },
  examples: [{ script: `add_key(r, cidr(_, "10.0.0.0/8"))`, input: "10.1.2.3", gives: { r: true } }],
  bind(call) {
    const [ip, network] = [textArgument(call, 0), textArgument(call, 1)];
    const [given, prefix] = [call.arg(0), call.arg(1)];
    if (given?.kind === "StringLiteral" && parseAddress(given.value) === undefined)
      call.warn("the text is no IP address, so the result is always false; a key is written without quotes", given);
    if (prefix?.kind === "StringLiteral" && parseNetwork(prefix.value) === undefined)
      call.warn("the text is no network such as 10.0.0.0/8, so the result is always false", prefix);
    return (run) => {
      const [address, prefix] = [ip(run), network(run)];
      return isText(address) && isText(prefix) && inNetwork(textOf(address), textOf(prefix));
    };
  },
});

export const networkFunctions: readonly Declaration[] = [cidr];

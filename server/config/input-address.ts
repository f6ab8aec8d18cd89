// Parses the address on which an input listens, with its protocol: `udp://0.0.0.0:514`, `unix:///run/millrace/log`.

import { type ListenAddress, parseListenAddress } from "./listen-address.ts";

export interface InputAddress {
  readonly protocol: "udp" | "tcp" | "tls" | "unix";
  readonly address: ListenAddress;
}

/**
 * Returns a hint for the address of a Unix datagram socket, such as `unixgram:///dev/log`: the hint says what to
 * use instead. Returns an empty string for any other address.
 */
export function datagramHint(text: string): string {
  return /^unix-?d?gram:/.test(text)
    ? "Node.js has no Unix datagram sockets; most senders also take a stream socket (unix://), see docs/inputs.md#unix-datagram-sockets"
    : "";
}

/** Parses an address such as `udp://0.0.0.0:514`. Throws an Error that says what is wrong with the address. */
export function parseInputAddress(text: string): InputAddress {
  const parts = /^(udp|tcp|tls|unix):\/\/(.*)$/.exec(text);
  if (parts === null)
    throw new Error(
      `listen address ${JSON.stringify(text)}: ${datagramHint(text) || "udp://, tcp://, tls:// or unix:// is needed"}`,
    );
  const [, protocol, rest] = parts as unknown as [string, InputAddress["protocol"], string];
  const address = parseListenAddress(rest);
  if ("path" in address !== (protocol === "unix"))
    throw new Error(
      `listen address ${JSON.stringify(text)}: unix:// takes an absolute path, the others take host:port`,
    );
  return { protocol, address };
}

// Parses the address on which a service listens (docs/reference/agent.md#listeners).

export type ListenAddress = { readonly path: string } | { readonly host: string; readonly port: number };

/**
 * Returns the host of a listen address as a URL contains it (an IPv6 address in brackets); `localhost` for a Unix
 * socket.
 */
export function hostOf(address: ListenAddress): string {
  if ("path" in address) return "localhost";
  return address.host.includes(":") ? `[${address.host}]` : address.host;
}

/**
 * Parses `localhost:9529`, `0.0.0.0:9529`, `[::]:9529`, or the absolute path of a Unix socket. Throws an Error that
 * says what is wrong.
 */
export function parseListenAddress(text: string): ListenAddress {
  if (text.startsWith("/")) return { path: text };
  const parts = /^(?:\[([0-9A-Fa-f:.]+)\]|([^:[\]]*)):(\d{1,5})$/.exec(text.trim());
  const port = Number(parts?.[3]);
  if (parts === null) throw new Error(`listen address ${JSON.stringify(text)}: host:port is needed`);
  if (port > 65535) throw new Error(`listen address ${JSON.stringify(text)}: a port is at most 65535`);
  const host = parts[1] ?? parts[2];
  if (host === "localhost") return { host: "127.0.0.1", port };
  if (host === "") return { host: "0.0.0.0", port };
  if (parts[1] === undefined && !/^\d+\.\d+\.\d+\.\d+$/.test(host)) {
    throw new Error(`listen address ${JSON.stringify(text)}: an IP address or localhost is needed`);
  }
  return { host, port };
}

// The part of `millrace doctor` that checks whether an agent can listen on the addresses in `[[inputs.syslog]]`.

import { createSocket } from "node:dgram";
import { existsSync } from "node:fs";
import { shownText } from "../../../lib/text/index.ts";
import { parseInputAddress } from "../../config/input-address.ts";
import type { SyslogSettings } from "../../config/settings/inputs-syslog.ts";
import { tryPort } from "../try-port.ts";
import type { TailFinding } from "./tail.ts";

/** Tries to listen at the address of each entry `[[inputs.syslog]]`. */
export function examineSyslog(entries: readonly SyslogSettings[]): Promise<TailFinding[]> {
  return examineAddresses(
    "syslog",
    entries.map(({ listen }) => listen),
  );
}

/**
 * Tries to listen at each address of an input. An address that is in use is no failure, because the running agent may
 * be using it.
 */
export async function examineAddresses(input: string, listens: readonly string[]): Promise<TailFinding[]> {
  const findings: TailFinding[] = [];
  for (const listen of listens) {
    const at = `${input} ${shownText(listen)}`;
    const error = await tryAddress(listen);
    if (error === undefined) findings.push({ grade: "ok", text: `${at}: free, nothing receives there now` });
    else if (error === "EADDRINUSE")
      findings.push({ grade: "ok", text: `${at}: in use, by the agent if one runs with this configuration` });
    else {
      const hint = error === "EACCES" ? "; ports below 1024 need rights of their own (CAP_NET_BIND_SERVICE)" : "";
      findings.push({ grade: "fail", text: `${at}: cannot be used: ${error}${hint}` });
    }
  }
  return findings;
}

/**
 * Tries to listen on an address. Returns the error code, such as `EADDRINUSE`, or undefined when the address is free.
 */
async function tryAddress(listen: string): Promise<string | undefined> {
  const { protocol, address } = parseInputAddress(listen);
  if ("path" in address) return existsSync(address.path) ? "EADDRINUSE" : undefined;
  return protocol === "udp" ? await tryDatagrams(address) : await tryPort(address);
}

function tryDatagrams({ host, port }: { readonly host: string; readonly port: number }): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = createSocket(host.includes(":") ? "udp6" : "udp4");
    socket.once("error", (error: NodeJS.ErrnoException) => {
      socket.close();
      resolve(error.code ?? error.message);
    });
    socket.bind({ address: host, port, exclusive: true }, () => socket.close(() => resolve(undefined)));
  });
}

// The settings of the input syslog, which receives syslog messages over UDP, TCP, TLS or a Unix socket.

import { readFileSync } from "node:fs";
import { createSecureContext } from "node:tls";
import { isTimeZone } from "../../../lib/time/index.ts";
import type { Mistake } from "../check-value.ts";
import { type Form, readableFile } from "../forms.ts";
import { datagramHint, parseInputAddress } from "../input-address.ts";
import { type EntryOf, entriesSetting, type Setting, setting } from "../setting.ts";
import { tagMistakes } from "../table-mistakes.ts";

const inputAddress: Form = {
  text: "an address such as udp://0.0.0.0:514, tcp://[::]:601, tls://0.0.0.0:6514 or unix:///run/millrace/syslog",
  fits: (text) => {
    try {
      parseInputAddress(text);
      return true;
    } catch {
      return false;
    }
  },
  hint: datagramHint,
};

const timeZone: Form = { text: "a time zone such as Europe/Berlin or +02:00", fits: isTimeZone };

export const syslogFields = {
  listen: setting("text", "", "address to receive at: udp://, tcp://, tls:// with host:port, or unix:// with a path", {
    form: inputAddress,
    example: 'listen = "udp://0.0.0.0:514"',
  }),
  source: setting("text", "syslog", "measurement of the points; the script of this name runs over them"),
  tags: setting("table", {}, "tags of each point, besides host", { example: 'tags = { site = "berlin" }' }),
  framing: setting(
    "text",
    "auto",
    "how messages of a stream end: octet-counting = they begin with their length, newline = with a line feed; auto = both",
    { choices: ["auto", "octet-counting", "newline"] },
  ),
  timezone: setting("text", "", "zone of times that name none, such as Europe/Berlin; empty = that of the machine", {
    form: timeZone,
  }),
  tls_cert: setting("text", "", "tls://: file of the certificate (PEM)", { form: readableFile }),
  tls_key: setting("text", "", "tls://: file of the private key (PEM)", { form: readableFile }),
  tls_client_ca: setting(
    "text",
    "",
    "tls://: authorities (PEM) whose certificates senders must have; empty = any sender",
    {
      form: readableFile,
    },
  ),
  max_message_bytes: setting("int", 64 * 1024, "longest message in bytes; the rest of a longer one is dropped", {
    unit: "bytes",
    min: 480,
    max: 16 * 1024 * 1024,
  }),
  max_connections: setting("int", 1000, "connections at once; further ones are closed", {
    unit: "connections",
    min: 1,
  }),
  max_unfinished_bytes: setting(
    "int",
    16 * 1024 * 1024,
    "bytes of messages of all connections that have not ended; the connection that would pass it is closed",
    { unit: "bytes", min: 1024 },
  ),
  max_waiting_bytes: setting(
    "int",
    16 * 1024 * 1024,
    "bytes of points that wait for the queue; beyond it streams are not read, and datagrams are dropped and counted",
    { unit: "bytes", min: 64 * 1024 },
  ),
  idle_timeout: setting("duration", "1h", "a connection that sends nothing for so long is closed"),
} as const satisfies Record<string, Setting>;

/** One entry `[[inputs.syslog]]`: an address at which syslog messages are received. */
export type SyslogSettings = EntryOf<typeof syslogFields>;

export const syslogSettings = {
  "inputs.syslog": entriesSetting(syslogFields, "addresses at which syslog messages are received", {
    mistakes: (entries) => {
      const listens = (entries as readonly Partial<SyslogSettings>[]).map(({ listen }) => listen);
      return (entries as readonly Partial<SyslogSettings>[]).flatMap((entry, at) => [
        ...syslogMistakes(entry, at),
        ...(entry.listen !== undefined && listens.indexOf(entry.listen) < at
          ? [{ path: [String(at), "listen"], text: " is the address of another entry, too" }]
          : []),
      ]);
    },
  }),
} as const satisfies Record<string, Setting>;

function syslogMistakes(entry: Partial<SyslogSettings>, at: number): readonly Mistake[] {
  const { listen = "", source, tags = {}, tls_cert = "", tls_key = "", tls_client_ca = "" } = entry;
  const mistakes: Mistake[] = [];
  const add = (key: string, text: string) =>
    mistakes.push({ path: key === "" ? [String(at)] : [String(at), key], text });
  if (listen === "") add("", ".listen must be an address such as udp://0.0.0.0:514");
  if (source === "") add("source", " must not be empty");
  for (const { text } of tagMistakes(tags)) add("tags", text);
  const isTls = listen.startsWith("tls://");
  if (isTls && (tls_cert === "" || tls_key === "")) add("", ": tls:// needs tls_cert and tls_key");
  if (!isTls && `${tls_cert}${tls_key}${tls_client_ca}` !== "") add("listen", " must be tls://... with TLS files");
  if (isTls && tls_cert !== "" && tls_key !== "") {
    const reason = tlsMistake(tls_cert, tls_key);
    if (reason !== undefined) add("tls_cert", ` and tls_key cannot be used together: ${reason}`);
  }
  return mistakes;
}

function tlsMistake(cert: string, key: string): string | undefined {
  try {
    createSecureContext({ cert: readFileSync(cert), key: readFileSync(key) });
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

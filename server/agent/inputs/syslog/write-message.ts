// Writes a syslog message as a line of line protocol. The host becomes a tag; the other parts become fields.

import type { LineBody } from "../delivery/line-body.ts";
import { facilityNames, statusNames } from "../delivery/priorities.ts";
import type { Parameter, Part, SyslogMessage } from "./message.ts";

const [space, comma, equal, quote, backslash, closeBracket] = [0x20, 0x2c, 0x3d, 0x22, 0x5c, 0x5d];

/**
 * For each priority number, the fields that the priority becomes (facility, severity and status) as line
 * protocol.
 */
const priorityFields = Array.from(
  { length: 192 },
  (_, priority) =>
    `,facility="${facilityNames[priority >> 3]}",severity=${priority & 7}i,status="${statusNames[priority & 7]}"`,
);

/**
 * Adds the syslog message to the body as one line. `measurement`: the measurement as escaped bytes of line
 * protocol (`keyBytes` returns them). `sender`: the address of the sender, which becomes the host of a message
 * that names no host; empty when there is no address.
 */
export function writeMessage(
  body: LineBody,
  measurement: Uint8Array,
  bytes: Uint8Array,
  message: SyslogMessage,
  sender: string,
): void {
  const { host, text, time, priority } = message;
  body.startLine();
  body.put(measurement);
  if (host.to > host.from) {
    body.putAscii(",host=");
    putKey(body, bytes, host);
  } else if (sender !== "") body.putAscii(`,host=${sender}`);
  body.putAscii(' message="');
  body.putEscaped(bytes, text.from, text.to);
  body.putByte(quote);
  if (priority >= 0) body.putAscii(priorityFields[priority]!);
  putField(body, ',appname="', bytes, message.appname);
  putField(body, ',procid="', bytes, message.procid);
  putField(body, ',msgid="', bytes, message.msgid);
  for (const parameter of message.parameters) putParameter(body, bytes, parameter);
  if (time.seconds !== undefined && time.seconds > 0) {
    body.putAscii(` ${time.seconds}${String(time.nanos).padStart(9, "0")}`);
  }
  body.endLine();
}

function putField(body: LineBody, head: string, bytes: Uint8Array, { from, to }: Part): void {
  if (to === from) return;
  body.putAscii(head);
  body.putEscaped(bytes, from, to);
  body.putByte(quote);
}

/** Writes a parameter of the structured data as the field `<id>_<name>`. */
function putParameter(body: LineBody, bytes: Uint8Array, { id, name, value, hasEscapes }: Parameter): void {
  body.putByte(comma);
  putKey(body, bytes, id);
  body.putByte(0x5f);
  putKey(body, bytes, name);
  body.putByte(equal);
  body.putByte(quote);
  if (!hasEscapes) body.putEscaped(bytes, value.from, value.to);
  else {
    for (let at = value.from; at < value.to; at++) {
      // A backslash is removed only before `"`, `\` and `]`. Before any other character it is no escape, so it is kept.
      const next = bytes[at + 1];
      if (
        bytes[at] === backslash &&
        at + 1 < value.to &&
        (next === quote || next === backslash || next === closeBracket)
      )
        at++;
      body.putEscaped(bytes, at, at + 1);
    }
  }
  body.putByte(quote);
}

/**
 * Writes a key or a tag value. Replaces control characters and backslashes by `_`, since a backslash would escape the
 * next character.
 */
export function putKey(body: LineBody, bytes: Uint8Array, { from, to }: Part): void {
  for (let at = from; at < to; at++) {
    const byte = bytes[at]!;
    if (byte < space || byte === 0x7f || byte === backslash) body.putByte(0x5f);
    else {
      if (byte === comma || byte === equal || byte === space || byte === quote) body.putByte(backslash);
      body.putByte(byte);
    }
  }
}

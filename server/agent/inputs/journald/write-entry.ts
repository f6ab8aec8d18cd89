// Writes an entry of the journal as a line of line protocol. The host becomes a tag; the other parts become fields.

import { keyBytes, type LineBody } from "../delivery/line-body.ts";
import { facilityNames, statusNames } from "../delivery/priorities.ts";

/** The keys of the journal that become string fields, with the names of these fields. */
const textFields: readonly (readonly [key: string, field: string])[] = [
  ["_SYSTEMD_UNIT", "unit"],
  ["_SYSTEMD_USER_UNIT", "user_unit"],
  ["SYSLOG_IDENTIFIER", "appname"],
  ["_COMM", "command"],
  ["_TRANSPORT", "transport"],
];

export const alwaysWanted: readonly string[] = [
  ...["__CURSOR", "__REALTIME_TIMESTAMP", "MESSAGE", "PRIORITY", "SYSLOG_FACILITY", "_PID", "_HOSTNAME"],
  ...textFields.map(([key]) => key),
];

const textOf = (value: Uint8Array | undefined) => (value === undefined ? "" : Buffer.from(value).toString("latin1"));

/**
 * Adds an entry of the journal to the body as one line. `further`: more keys of the journal that become fields. The
 * name of such a field is the key in lower case, without underscores at its start.
 */
export function writeEntry(
  body: LineBody,
  measurement: Uint8Array,
  entry: ReadonlyMap<string, Uint8Array>,
  further: readonly string[],
): void {
  body.startLine();
  body.put(measurement);
  const host = entry.get("_HOSTNAME");
  if (host !== undefined && host.length > 0) {
    body.putAscii(",host=");
    body.put(keyBytes(Buffer.from(host).toString()));
  }
  body.putAscii(" message=");
  putText(body, entry.get("MESSAGE") ?? new Uint8Array());
  const priority = numberIn(textOf(entry.get("PRIORITY")), 7);
  if (priority !== undefined) body.putAscii(`,priority=${priority}i,status="${statusNames[priority]}"`);
  const facility = numberIn(textOf(entry.get("SYSLOG_FACILITY")), 23);
  if (facility !== undefined) body.putAscii(`,facility="${facilityNames[facility]}"`);
  const pid = numberIn(textOf(entry.get("_PID")), 2 ** 31);
  if (pid !== undefined) body.putAscii(`,pid=${pid}i`);
  for (const [key, field] of textFields) putField(body, field, entry.get(key));
  for (const key of further) putField(body, key.toLowerCase().replace(/^_+/, ""), entry.get(key));
  const micros = textOf(entry.get("__REALTIME_TIMESTAMP"));
  if (/^[1-9]\d{0,15}$/.test(micros)) body.putAscii(` ${micros}000`);
  body.endLine();
}

function putField(body: LineBody, field: string, value: Uint8Array | undefined): void {
  if (value === undefined) return;
  body.putByte(0x2c);
  body.put(keyBytes(field));
  body.putByte(0x3d);
  putText(body, value);
}

function putText(body: LineBody, value: Uint8Array): void {
  body.putByte(0x22);
  body.putEscaped(value);
  body.putByte(0x22);
}

function numberIn(text: string, most: number): number | undefined {
  if (!/^\d{1,10}$/.test(text)) return undefined;
  const value = Number(text);
  return value <= most ? value : undefined;
}

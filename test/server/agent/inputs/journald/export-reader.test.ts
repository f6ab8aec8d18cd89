// Parses the export format of the systemd journal. The result must not depend on how the stream is cut into chunks.

import { expect, it } from "vitest";
import { keyBytes, LineBody } from "../../../../../server/agent/inputs/delivery/line-body.ts";
import { ExportReader } from "../../../../../server/agent/inputs/journald/export-reader.ts";
import { alwaysWanted, writeEntry } from "../../../../../server/agent/inputs/journald/write-entry.ts";

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString();

/** Returns a field in the binary form: key, newline, length of the value in 8 bytes, value, newline. */
function sized(key: string, value: string | Uint8Array): Buffer {
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(Buffer.byteLength(value)));
  return Buffer.concat([Buffer.from(`${key}\n`), length, Buffer.from(value as string), Buffer.from("\n")]);
}

function entriesOf(bytes: Uint8Array, step: number, mostBytes = 1000) {
  const entries: Record<string, string>[] = [];
  let cut = 0;
  const reader = new ExportReader({
    wanted: new Set(["A", "B", "MESSAGE"]),
    mostBytes,
    take: (entry, isCut) => {
      entries.push(Object.fromEntries(Array.from(entry, ([key, value]) => [key, text(value)])));
      if (isCut) cut++;
    },
  });
  for (let at = 0; at < bytes.length; at += step) reader.read(bytes.subarray(at, at + step));
  return { entries, cut };
}

it.each<[name: string, bytes: Buffer, entries: Record<string, string>[], most?: number, cut?: number]>([
  ["entries of lines", Buffer.from("A=1\nX=2\nB=3=4\n\nA=\n\n"), [{ A: "1", B: "3=4" }, { A: "" }]],
  [
    "values with their length",
    Buffer.concat([
      sized("MESSAGE", "two\nlines\n\n"),
      sized("X", "a\n\nB=1\n"),
      sized("B", ""),
      Buffer.from("A=1\n\n"),
    ]),
    [{ MESSAGE: "two\nlines\n\n", B: "", A: "1" }],
  ],
  ["the first of several values", Buffer.from("A=1\nA=2\n\n"), [{ A: "1" }]],
  ["empty lines between entries, and an entry that has not ended", Buffer.from("\n\nA=1\n\n\n\nA=2\n"), [{ A: "1" }]],
  ["an entry without a wanted field", Buffer.from("X=1\n\n"), [{}]],
  [
    "values that are too long, cut",
    Buffer.concat([Buffer.from("A=12345\n"), sized("B", "12345"), Buffer.from("X=12345\n\nA=1\n\n")]),
    [{ A: "123", B: "123" }, { A: "1" }],
    3,
    1,
  ],
])("reads %s", (_name, bytes, entries, most, cut = 0) => {
  for (let step = 1; step <= bytes.length; step++)
    expect({ step, ...entriesOf(bytes, step, most) }).toEqual({ step, entries, cut });
});

it.each([
  ["a key without an end", Buffer.from("x".repeat(300)), "a key of the journal is too long"],
  ["a length that cannot be", Buffer.concat([Buffer.from("A\n"), Buffer.alloc(8, 0xff)]), "no possible length"],
  [
    "a value that is longer than its length",
    Buffer.concat([sized("A", "1").subarray(0, -1), Buffer.from("2\n")]),
    "does not end with a line feed",
  ],
])("refuses %s", (_name, bytes, message) => {
  for (const step of [1, 1000]) expect(() => entriesOf(bytes, step)).toThrow(message);
});

it("writes an entry as a line: the host as a tag, priority, unit and pid as fields", () => {
  const fields = {
    __CURSOR: "s=1;i=2",
    __REALTIME_TIMESTAMP: "1700000000123456",
    MESSAGE: 'said "x"\nand y',
    PRIORITY: "3",
    SYSLOG_FACILITY: "3",
    _PID: "77",
    _HOSTNAME: "my box",
    _SYSTEMD_UNIT: "nginx.service",
    SYSLOG_IDENTIFIER: "nginx",
    _COMM: "nginx",
    _TRANSPORT: "stdout",
    CONTAINER_NAME: "web",
  };
  const lineOf = (entry: Record<string, string>, further: string[] = []) => {
    const body = new LineBody();
    const bytes = new Map(Object.entries(entry).map(([key, value]) => [key, Buffer.from(value)]));
    writeEntry(body, keyBytes("journald"), bytes, further);
    return text(body.body());
  };
  expect(Object.keys(fields).filter((key) => !alwaysWanted.includes(key))).toEqual(["CONTAINER_NAME"]);
  expect(lineOf(fields, ["CONTAINER_NAME", "_MISSING"])).toBe(
    'journald,host=my\\ box message="said \\"x\\"\nand y",priority=3i,status="error",facility="daemon",pid=77i,' +
      'unit="nginx.service",appname="nginx",command="nginx",transport="stdout",container_name="web" 1700000000123456000\n',
  );
  expect(lineOf({ PRIORITY: "8", _PID: "x", SYSLOG_FACILITY: "24", __REALTIME_TIMESTAMP: "0" })).toBe(
    'journald message=""\n',
  );
});

// Parses syslog messages: the examples of RFC 5424 and RFC 3164, messages of real devices, and malformed ones.

import { describe, expect, it } from "vitest";
import { UTC, zoneArgument } from "../../../../../lib/time/index.ts";
import { keyBytes, LineBody } from "../../../../../server/agent/inputs/delivery/line-body.ts";
import { SyslogScanner } from "../../../../../server/agent/inputs/syslog/message.ts";
import { writeMessage } from "../../../../../server/agent/inputs/syslog/write-message.ts";

const now = Date.UTC(2003, 9, 12) / 1000;
const bom = "\ufeff";

/** Parses a message and returns it as line protocol, without the measurement. */
function lineOf(message: string | Uint8Array, sender = "", zone = UTC): string {
  const bytes = typeof message === "string" ? new TextEncoder().encode(message) : message;
  // Other bytes surround the message in the buffer; the scanner must not read them.
  const around = new Uint8Array(bytes.length + 20).fill(0x31);
  around.set(bytes, 10);
  const scanner = new SyslogScanner({ now: () => now, zone });
  const body = new LineBody();
  writeMessage(body, keyBytes("syslog"), around, scanner.scan(around, 10, 10 + bytes.length), sender);
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(body.body()).replace(/\n$/, "").slice("syslog".length);
}

const auth = ',facility="auth",severity=2i,status="critical"';
const local4 = ',facility="local4",severity=5i,status="notice"';
const local7 = ',facility="local7",severity=5i,status="notice"';
const userNotice = ',facility="user",severity=5i,status="notice"';

describe("RFC 5424", () => {
  it.each<[message: string, line: string]>([
    [
      `<34>1 2003-10-11T22:14:15.003Z mymachine.example.com su - ID47 - ${bom}'su root' failed for lonvick on /dev/pts/8`,
      `,host=mymachine.example.com message="'su root' failed for lonvick on /dev/pts/8"${auth},appname="su",msgid="ID47" 1065910455003000000`,
    ],
    [
      "<165>1 2003-08-24T05:14:15.000003-07:00 192.0.2.1 myproc 8710 - - %% It's time to make the do-nuts.",
      `,host=192.0.2.1 message="%% It's time to make the do-nuts."${local4},appname="myproc",procid="8710" 1061727255000003000`,
    ],
    [
      `<165>1 2003-10-11T22:14:15.003Z mymachine.example.com evntslog - ID47 [exampleSDID@32473 iut="3" eventSource="Application" eventID="1011"] ${bom}An application event log entry...`,
      `,host=mymachine.example.com message="An application event log entry..."${local4},appname="evntslog",msgid="ID47",exampleSDID@32473_iut="3",exampleSDID@32473_eventSource="Application",exampleSDID@32473_eventID="1011" 1065910455003000000`,
    ],
    [
      '<165>1 2003-10-11T22:14:15.003Z mymachine.example.com evntslog - ID47 [exampleSDID@32473 iut="3" eventSource="Application" eventID="1011"][examplePriority@32473 class="high"]',
      `,host=mymachine.example.com message=""${local4},appname="evntslog",msgid="ID47",exampleSDID@32473_iut="3",exampleSDID@32473_eventSource="Application",exampleSDID@32473_eventID="1011",examplePriority@32473_class="high" 1065910455003000000`,
    ],
    ["<13>1 - - - - - -", ` message=""${userNotice}`],
    ["<13>1 - - - - - - text", ` message="text"${userNotice}`],
    ["<13>1 - h a p m", `,host=h message=""${userNotice},appname="a",procid="p",msgid="m"`],
    [
      "<0>1 1985-04-12T23:20:50.52Z - - - - - x",
      ` message="x",facility="kern",severity=0i,status="emerg" 482196050520000000`,
    ],
    [
      "<191>1 1985-04-12T19:20:50.52-04:00 - - - - - x",
      ` message="x",facility="local7",severity=7i,status="debug" 482196050520000000`,
    ],
    ["<13>1 2003-10-11T23:59:60Z - - - - - leap", ` message="leap"${userNotice} 1065916800000000000`],
    // Escapes in structured data: a backslash before a quote, bracket or backslash is removed; before any other
    // character it is kept.
    [String.raw`<13>1 - - - - - [a b="c\"d\]e\\f\g"] x`, String.raw` message="x"${userNotice},a_b="c\"d]e\\f\\g"`],
    ["<13>1 - - - - - [a] x", ` message="x"${userNotice}`],
    ['<13>1 - - - - - [a  b="1"  c="2" ] x', ` message="x"${userNotice},a_b="1",a_c="2"`],
    // Malformed structured data becomes a part of the message text.
    ['<13>1 - - - - - [a b="1"][c d=2] x', ` message="[c d=2] x"${userNotice},a_b="1"`],
    ['<13>1 - - - - - [a b="1', String.raw` message="[a b=\"1"${userNotice}`],
    [String.raw`<13>1 - - - - - [a b="1\ `, String.raw` message="[a b=\"1\\ "${userNotice}`],
    ["<13>1 - - - - - [ text", ` message="[ text"${userNotice}`],
    ["<13>1 - - - - - text without structured data", ` message="text without structured data"${userNotice}`],
    // Messages with characters that must be escaped or replaced in line protocol.
    [String.raw`<13>1 - a,b=\c - - - - say "x" \ y`, String.raw`,host=a\,b\=_c message="say \"x\" \\ y"${userNotice}`],
    ["<13>1 - - - - - - two\nlines\r\n\0", ` message="two\nlines"${userNotice}`],
    // The month in this message is 13. So the message is not read as one of RFC 5424, and its whole text is kept.
    ["<13>1 2003-13-11T22:14:15Z h a p m - x", ` message="1 2003-13-11T22:14:15Z h a p m - x"${userNotice}`],
  ])("parses the message %j", (message, line) => {
    expect(lineOf(message)).toBe(line);
  });
});

describe("RFC 3164", () => {
  it.each<[message: string, line: string]>([
    [
      "<34>Oct 11 22:14:15 mymachine su: 'su root' failed for lonvick on /dev/pts/8",
      `,host=mymachine message="'su root' failed for lonvick on /dev/pts/8"${auth},appname="su" 1065910455000000000`,
    ],
    ["Use the BFG!", ' message="Use the BFG!"'],
    ["<13>Use the BFG!", ` message="Use the BFG!"${userNotice}`],
    [
      "<165>Aug 24 05:34:00 CST 1987 mymachine myproc[10]: %% It's time to make the do-nuts.",
      `,host=mymachine message="%% It's time to make the do-nuts.",facility="local4",severity=5i,status="notice",appname="myproc",procid="10" 556781640000000000`,
    ],
    [
      "<0>1990 Oct 22 10:52:01 TZ-6 scapegoat.dmz.example.org 10.1.2.3 sched[0]: That's All Folks!",
      `,host=TZ-6 message="scapegoat.dmz.example.org 10.1.2.3 sched[0]: That's All Folks!",facility="kern",severity=0i,status="emerg" 656592721000000000`,
    ],
    // When a time has no year, the parser chooses the year for which the time is at most a month in the future.
    ["<13>Nov  9 00:00:00 h a: x", `,host=h message="x"${userNotice},appname="a" 1068336000000000000`],
    ["<13>Nov 30 00:00:00 h a: x", `,host=h message="x"${userNotice},appname="a" 1038614400000000000`],
    ["<13>Feb 29 00:00:00 h a: x", `,host=h message="x"${userNotice},appname="a" 951782400000000000`],
    // Messages without a host name, as programs on the same machine send them.
    ["<13>Oct 11 22:14:15 root: hello", ` message="hello"${userNotice},appname="root" 1065910455000000000`],
    [
      "<13>Oct 11 22:14:15 cron[7]: hello",
      ` message="hello"${userNotice},appname="cron",procid="7" 1065910455000000000`,
    ],
    ["<13>Oct  1 22:14:15.5 h a[b c]: x", `,host=h message="a[b c]: x"${userNotice} 1065046455500000000`],
    ["<13>Oct 11 22:14:15 h a[7] x", `,host=h message="x"${userNotice},appname="a",procid="7" 1065910455000000000`],
    ["<13>Oct 11 22:14:15 h http://x y", `,host=h message="http://x y"${userNotice} 1065910455000000000`],
    ["<13>Oct 11 22:14:15 h", ` message="h"${userNotice} 1065910455000000000`],
    ["<13>Oct 11 22:14:15", ` message=""${userNotice} 1065910455000000000`],
    ["<13>Oct 11 22:14:15x h a: x", ` message="Oct 11 22:14:15x h a: x"${userNotice}`],
    ["<13>Oct 32 22:14:15 h a: x", ` message="Oct 32 22:14:15 h a: x"${userNotice}`],
    ["<13>Oct 11 24:14:15 h a: x", ` message="Oct 11 24:14:15 h a: x"${userNotice}`],
    // The format in which rsyslog forwards messages, with a time of RFC 3339.
    [
      "<13>2003-10-11T22:14:15.123456+02:00 h a[1]: x",
      `,host=h message="x"${userNotice},appname="a",procid="1" 1065903255123456000`,
    ],
    ["Oct 11 22:14:15 h a: without a priority", ',host=h message="without a priority",appname="a" 1065910455000000000'],
    // Messages in the form that Cisco devices send.
    [
      "<189>29: *Mar  1 18:48:50.483: %SYS-5-CONFIG_I: Configured from console",
      ` message="Configured from console"${local7},appname="%SYS-5-CONFIG_I" 1046544530483000000`,
    ],
    [
      "<166>Oct 11 2003 22:14:15: %ASA-6-302013: Built",
      ' message="Built",facility="local4",severity=6i,status="info",appname="%ASA-6-302013" 1065910455000000000',
    ],
    ["<13>Oct 11 22:14:15 UTC 2004 h a: x", `,host=h message="x"${userNotice},appname="a" 1097532855000000000`],
    // Invalid priorities: the text is kept unchanged.
    ["<192>Oct 11 22:14:15 h a: x", ' message="<192>Oct 11 22:14:15 h a: x"'],
    ["<>x", ' message="<>x"'],
    ["<1x>y", ' message="<1x>y"'],
    ["<0013>y", ' message="<0013>y"'],
    ["<13", ' message="<13"'],
    ["<13>", ` message=""${userNotice}`],
    ["", ' message=""'],
    ["\n\0", ' message=""'],
  ])("parses the message %j", (message, line) => {
    expect(lineOf(message)).toBe(line);
  });
});

it("reads times without a zone in the configured time zone", () => {
  const berlin = zoneArgument("Europe/Berlin", "UTC")!;
  expect(lineOf("<13>Oct 11 22:14:15 h a: x", "", berlin)).toMatch(/ 1065903255000000000$/);
  expect(lineOf("<13>2003-10-11T22:14:15 h a: x", "", berlin)).toMatch(/ 1065903255000000000$/);
  expect(lineOf("<13>Oct 11 22:14:15 UTC 2003 h a: x", "", berlin)).toMatch(/ 1065910455000000000$/);
});

it("uses the sender as host when the message names no host", () => {
  expect(lineOf("<13>hello", "10.0.0.7")).toMatch(/^,host=10.0.0.7 message="hello"/);
  expect(lineOf("<13>Oct 11 22:14:15 h a: x", "10.0.0.7")).toMatch(/^,host=h /);
});

it("keeps bytes that are not UTF-8", () => {
  const scanner = new SyslogScanner({ now: () => now, zone: UTC });
  const bytes = Uint8Array.from([...Buffer.from("<13>1 - - - - - - "), 0xff, 0xfe, 0x80]);
  const body = new LineBody();
  writeMessage(body, keyBytes("s"), bytes, scanner.scan(bytes, 0, bytes.length), "");
  expect([...body.body()].slice(11, 14)).toEqual([0xff, 0xfe, 0x80]);
});

it("reads no byte outside of the message, wherever the message is cut", () => {
  const whole = '<165>1 2003-10-11T22:14:15.003Z host.example.com app 12 ID [a@1 b="c\\"" d="e"][f g="h"] text';
  const older = "<165>29: *Oct 11 2003 22:14:15.123: host app[12]: text";
  for (const message of [whole, older]) {
    for (let length = 0; length <= message.length; length++) {
      const part = message.slice(0, length);
      expect([part, lineOf(part)]).toEqual([part, lineOfAlone(part)]);
    }
  }
});

function lineOfAlone(message: string): string {
  const bytes = new TextEncoder().encode(message);
  const body = new LineBody();
  const scanner = new SyslogScanner({ now: () => now, zone: UTC });
  writeMessage(body, keyBytes("syslog"), bytes, scanner.scan(bytes, 0, bytes.length), "");
  return new TextDecoder().decode(body.body()).replace(/\n$/, "").slice("syslog".length);
}

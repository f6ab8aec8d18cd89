import { expect, it } from "vitest";
import {
  type RecordFormat,
  RecordParser,
  streamNames,
} from "../../../../../../server/agent/inputs/tail/container/parse-record.ts";

const time = "1704164645678900000";
const docker = (log: string, more = "") =>
  `{"log":${JSON.stringify(log)},"stream":"stderr"${more},"time":"2024-01-02T03:04:05.6789Z"}`;

type Parsed = readonly [stream: string, message: string, time: string, isPartial: boolean];

function parsed(format: RecordFormat, line: string): Parsed {
  const parser = new RecordParser(format);
  const bytes = Buffer.from(`before ${line} after`);
  parser.parse(bytes, 7, bytes.length - 6);
  const { stream, isPartial, message } = parser;
  return [streamNames[stream], Buffer.from(message).toString(), parser.time, isPartial];
}

it.each<readonly [name: string, format: RecordFormat, line: string, expected: Parsed]>([
  ["a line of Docker", "docker", docker("text\n"), ["stderr", "text", time, false]],
  ["a partial line of Docker", "docker", docker("text"), ["stderr", "text", time, true]],
  ["CR LF", "docker", docker("text\r\n"), ["stderr", "text", time, false]],
  ["escapes", "docker", docker('q" b\\ t\t中 😀 \u0001\n'), ["stderr", 'q" b\\ t\t中 😀 \u0001', time, false]],
  [
    "escapes of Go",
    "docker",
    docker("x\n").replace("x", "\\u003ca\\u003e \\u2028 \\ud83d\\ude00 \\/"),
    ["stderr", "<a> \u2028 😀 /", time, false],
  ],
  ["half a surrogate pair", "docker", docker("x\n").replace("x", "\\ud83dx"), ["stderr", "\ufffdx", time, false]],
  ["attributes", "docker", docker("a\n", ',"attrs":{"tag":"x","log":"y"}'), ["stderr", "a", time, false]],
  [
    "another order",
    "docker",
    '{"stream":"stdout","time":"2024-01-02T03:04:05.6789Z","log":"a\\n"}',
    ["stdout", "a", time, false],
  ],
  ["an empty text", "docker", docker(""), ["stderr", "", time, true]],
  [
    "a text with a wrong escape",
    "docker",
    docker("x\n").replace("x", "\\q"),
    ["", docker("x\n").replace("x", "\\q"), "", false],
  ],
  ["JSON of the program", "auto", '{"log":"a\\n","level":"info"}', ["", '{"log":"a\\n","level":"info"}', "", false]],
  ["cut JSON", "docker", docker("text\n").slice(0, 30), ["", docker("text\n").slice(0, 30), "", false]],
  ["text", "docker", "plain", ["", "plain", "", false]],
  ["a line of CRI", "cri", "2024-01-02T03:04:05.6789Z stdout F a  b ", ["stdout", "a  b ", time, false]],
  ["a zone", "cri", "2024-01-02T11:04:05.678900000+08:00 stderr P a", ["stderr", "a", time, true]],
  ["tags after the first one", "auto", "2024-01-02T03:04:05.6789Z stdout P:x:y a", ["stdout", "a", time, true]],
  ["an empty line", "cri", "2024-01-02T03:04:05.6789Z stdout F ", ["stdout", "", time, false]],
  ["no text", "cri", "2024-01-02T03:04:05.6789Z stdout F", ["stdout", "", time, false]],
  ["JSON in CRI", "auto", `2024-01-02T03:04:05.6789Z stdout F {"log":1}`, ["stdout", '{"log":1}', time, false]],
  ["another stream", "cri", "2024-01-02T03:04:05Z stdin F a", ["", "2024-01-02T03:04:05Z stdin F a", "", false]],
  ["another tag", "cri", "2024-01-02T03:04:05Z stdout X a", ["", "2024-01-02T03:04:05Z stdout X a", "", false]],
  ["no time", "auto", "2024-13-02T03:04:05Z stdout F a", ["", "2024-13-02T03:04:05Z stdout F a", "", false]],
  ["Docker detected", "auto", docker("text\n"), ["stderr", "text", time, false]],
])("parses %s", (_name, format, line, expected) => {
  expect(parsed(format, line)).toEqual(expected);
});

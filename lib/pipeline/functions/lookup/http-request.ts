// The function http_request, the only function that makes a script wait for an answer
// (docs/reference/functions.md#http_request). The program that uses the library provides `fetch` and decides
// which addresses scripts may reach. After every failure the function returns nil.

import { Wait } from "../../runtime/code.ts";
import type { HttpRequest } from "../../runtime/requests.ts";
import type { Run } from "../../runtime/run.ts";
import { chargeWork } from "../../runtime/step-charge.ts";
import { toText } from "../../runtime/to-text.ts";
import { isDict, isNothing, isText, textOf, type Value } from "../../runtime/value.ts";
import { type Call, type Declaration, declare } from "../declare.ts";

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** Headers that `fetch` sets by itself, so that scripts cannot set them. */
const OWN_HEADERS = [
  "host",
  "connection",
  "content-length",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
];

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

function textArgument(call: Call, index: number, value: Value): string {
  if (!isText(value)) throw call.runFailure("param data type expect string", call.arg(index));
  return textOf(value);
}

function webAddress(text: string): URL | null {
  try {
    const url = new URL(text);
    return url.protocol === "http:" || url.protocol === "https:" ? url : null;
  } catch {
    return null;
  }
}

/** Converts a map of the script to HTTP headers. Returns null when a name or value is not valid in a header. */
function headersOf(map: ReadonlyMap<string, Value>): Record<string, string> | null {
  const headers: Record<string, string> = {};
  for (const [name, value] of map) {
    if (!isText(value)) continue;
    const text = textOf(value);
    if (!TOKEN.test(name) || /[^\t\x20-\x7e\x80-\xff]/.test(text)) return null;
    if (!OWN_HEADERS.includes(name.toLowerCase())) headers[name.toLowerCase()] = text.trim();
  }
  return headers;
}

/** Moves the user name and password of a URL into an `authorization` header and returns the URL without them. */
function withoutUser(url: URL, headers: Record<string, string>): string {
  if (url.username === "" && url.password === "") return url.href;
  const pair = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  headers.authorization ??= `Basic ${btoa(String.fromCharCode(...encoder.encode(pair)))}`;
  url.username = "";
  url.password = "";
  return url.href;
}

export const httpRequest = declare({
  name: "http_request",
  summary:
    "Sends an HTTP request; gives a map of `status_code` and `body`, nil when there is no answer. At most 16 at once, 5 seconds, 8 MiB; private addresses are refused unless the host allows them.",
  params: [
    { name: "method", type: "str", summary: "GET, POST or another method" },
    { name: "url", type: "str", summary: "the address, http or https" },
    { name: "headers", type: "map", optional: true, summary: "headers; values that are no text are left out" },
    { name: "body", type: "any", optional: true, summary: "the body; maps and lists are sent as JSON text" },
  ],
  returns: "map",
  style: "named",
  waits: true,
  examples: [
    {
      script: `r = http_request("GET", "http://example.com/level"); add_key(code, r["status_code"]); add_key(level, r["body"])`,
      input: "x",
      gives: { code: 200, level: "12" },
    },
    {
      script: `r = http_request("GET", "ftp://example.com/"); add_key(none, r == nil)`,
      input: "x",
      gives: { none: true },
    },
  ],
  bind(call) {
    const [method, url, headers, body] = [call.value(0), call.value(1), call.value(2), call.value(3)];
    const hasHeaders = call.arg(2) !== undefined;
    /** Returns the request; null when no request can be made from the arguments. */
    const prepare = (run: Run): HttpRequest | null => {
      const verb = textArgument(call, 0, method(run)).toUpperCase();
      const address = webAddress(textArgument(call, 1, url(run)));
      if (address === null) return null;
      const given = headers(run);
      if (hasHeaders && !isDict(given)) throw call.runFailure("param data type expect map", call.arg(2));
      const content = body(run);
      const made = isDict(given) ? headersOf(given) : {};
      if (made === null || (verb !== "" && !TOKEN.test(verb))) return null;
      const bytes = isNothing(content) ? undefined : encoder.encode(toText(content, run.memory));
      return { method: verb || "GET", url: withoutUser(address, made), headers: made, body: bytes };
    };
    return {
      direct: () => {
        throw new Error("http_request runs in a script that does not wait");
      },
      *steps(run) {
        const { fetch } = run.host;
        if (fetch === undefined) return null;
        const request = prepare(run);
        if (request === null) return null;
        const answer = (yield new Wait(run.requests.send(fetch, request, run.signal))) as Awaited<
          ReturnType<typeof run.requests.send>
        >;
        if (answer === null) return null;
        chargeWork(run, answer.body.length);
        run.memory.makeText(answer.body.length);
        return new Map<string, Value>([
          ["status_code", answer.status],
          ["body", decoder.decode(answer.body)],
        ]);
      },
    };
  },
});

export const requestFunctions: readonly Declaration[] = [httpRequest];

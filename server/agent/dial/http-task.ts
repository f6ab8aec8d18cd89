// The HTTP dial test (docs/reference/agent.md#dial-tests): reads the task (the JSON description of the test), sends one
// request, checks the conditions and returns the result.

import { type OutgoingHttpHeaders, validateHeaderName, validateHeaderValue } from "node:http";
import { formatDuration } from "../../config/go-duration.ts";
import { durationOf, joinOutcomes, textCheck } from "./checks.ts";
import type { DialContext } from "./context.ts";
import { monotonic } from "./context.ts";
import { withDeadline } from "./deadline.ts";
import { TaskError } from "./dial-error.ts";
import { type Exchanged, exchange, headerObject, type ProxyServer } from "./http-exchange.ts";
import { boolOf, type Json, objectOf, objectsOf, textOf, textsOf } from "./members.ts";
import { type PostOutcome, runPostScript } from "./post-script.ts";
import { type RequestBody, readRequestBody } from "./request-body.ts";
import { cut, micros, type Result, resultOf } from "./result.ts";

/** A response of the tested server and the response time. The success conditions of the dial test check both. */
interface Answer {
  readonly exchanged: Exchanged;
  readonly body: string;
  readonly costNs: bigint;
}

type Check = (answer: Answer) => string | undefined;

export interface HttpTask {
  readonly name: string;
  /** The URL of the task as the client sent it, in which the templates are not replaced yet. */
  readonly givenUrl: string;
  readonly method: string;
  readonly url: URL;
  readonly headers: OutgoingHttpHeaders;
  readonly body: RequestBody;
  readonly tls: Parameters<typeof exchange>[0]["tls"];
  readonly proxy: ProxyServer | undefined;
  readonly timeoutMs: number;
  readonly keepBody: boolean;
  readonly postScript: string;
  readonly logic: string;
  readonly checks: readonly Check[];
  readonly tags: Readonly<Record<string, string>>;
}

const methods = new Set(["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]);
/** Request headers that a task cannot set, because the agent itself manages the connection. */
const ownHeaders = new Set(["connection", "content-length", "transfer-encoding", "upgrade", "expect", "te", "trailer"]);

/**
 * Parses the task (the JSON description) of an HTTP test. In `task`, the templates have been replaced by their
 * values; `given` is the task as the client sent it. Throws TaskError.
 */
export function readHttpTask(task: Json, given: Json): HttpTask {
  const options = objectOf(task, "advance_options");
  const request = objectOf(options, "request_options");
  const body = readRequestBody(objectOf(options, "request_body"));
  const certificate = objectOf(options, "certificate");
  const method = (textOf(task, "method") || "GET").toUpperCase();
  if (!methods.has(method)) throw new TaskError(`unknown HTTP method ${method}`);
  const conditions = objectsOf(task, "success_when");
  const postScript = textOf(task, "post_script");
  if (conditions.length === 0 && postScript === "") throw new TaskError("no any check rule");
  const timeout = textOf(options, "request_timeout");
  return {
    name: textOf(task, "name"),
    givenUrl: textOf(given, "url"),
    method,
    url: httpUrl(textOf(task, "url")),
    headers: headersOf(request, body),
    body,
    tls: {
      rejectUnauthorized: !boolOf(certificate, "ignore_server_certificate_error"),
      ...pem("ca", textOf(certificate, "ca")),
      ...pem("cert", textOf(certificate, "certificate")),
      ...pem("key", textOf(certificate, "private_key")),
    },
    proxy: proxyOf(objectOf(options, "proxy")),
    timeoutMs: timeout === "" ? 60_000 : durationOf(timeout) / 1e6,
    keepBody: !boolOf(objectOf(options, "secret"), "not_save"),
    postScript,
    logic: textOf(task, "success_when_logic"),
    checks: conditions.flatMap(checksOf),
    tags: Object.fromEntries(textsOf(task, "tags")),
  };
}

function httpUrl(text: string): URL {
  if (text === "") throw new TaskError("URL should not be empty");
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) throw new TaskError(`invalid URL ${JSON.stringify(text)}`);
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new TaskError(`unsupported protocol scheme ${JSON.stringify(url.protocol.slice(0, -1))}`);
  }
  return url;
}

function pem(name: string, text: string): Record<string, string> {
  return text === "" ? {} : { [name]: text };
}

function proxyOf(options: Json): ProxyServer | undefined {
  const url = textOf(options, "url");
  return url === "" ? undefined : { url: httpUrl(url), headers: checkedHeaders(textsOf(options, "headers")) };
}

function headersOf(options: Json, body: RequestBody): OutgoingHttpHeaders {
  const headers = checkedHeaders(textsOf(options, "headers"));
  if (
    body.contentType !== undefined &&
    (headers["content-type"] === undefined || body.contentType.includes("boundary"))
  ) {
    headers["content-type"] = body.contentType;
  }
  const cookies = textOf(options, "cookies");
  if (cookies !== "") Object.assign(headers, checkedHeaders([["cookie", cookies]]));
  const auth = objectOf(options, "auth");
  const pair = `${textOf(auth, "username")}:${textOf(auth, "password")}`;
  if (pair !== ":") headers.authorization = `Basic ${Buffer.from(pair).toString("base64")}`;
  return headers;
}

/**
 * Returns the request headers by lower-case name. Throws TaskError for a name or value with characters that HTTP
 * forbids.
 */
export function checkedHeaders(pairs: readonly (readonly [string, string])[]): OutgoingHttpHeaders {
  const headers: OutgoingHttpHeaders = Object.create(null);
  for (const [name, value] of pairs) {
    const key = name.trim().toLowerCase();
    if (ownHeaders.has(key)) continue;
    try {
      validateHeaderName(key);
      validateHeaderValue(key, value);
    } catch {
      throw new TaskError(`invalid header ${JSON.stringify(name)}`);
    }
    headers[key] = value;
  }
  return headers;
}

function checksOf(condition: Json): Check[] {
  const checks: Check[] = [];
  for (const option of objectsOf(condition, "body")) {
    const check = textCheck(option, "response body");
    checks.push(({ body }) => check(body));
  }
  for (const name of Object.keys(objectOf(condition, "header"))) {
    for (const option of objectsOf(objectOf(condition, "header"), name)) {
      const check = textCheck(option, `HTTP header \`${name}'`);
      checks.push(({ exchanged }) => check(exchanged.headers.get(name.toLowerCase())?.[0] ?? ""));
    }
  }
  for (const option of objectsOf(condition, "status_code")) {
    const check = textCheck(option, "HTTP status");
    checks.push(({ exchanged }) => check(String(exchanged.status)));
  }
  const limit = textOf(condition, "response_time");
  if (limit !== "") {
    const nanoseconds = durationOf(limit);
    checks.push(({ costNs }) =>
      Number(costNs) > nanoseconds
        ? `HTTP response time(${formatDuration(costNs)}) larger than ${formatDuration(BigInt(Math.round(nanoseconds)))}`
        : undefined,
    );
  }
  return checks;
}

/** Returns the hosts that the HTTP test connects to: the host of its URL and the host of its proxy. */
export function httpHosts({ url, proxy }: HttpTask): string[] {
  return [url.hostname, ...(proxy === undefined ? [] : [proxy.url.hostname])];
}

export async function runHttpTask(task: HttpTask, context: DialContext): Promise<Result> {
  const headers = { "user-agent": context.userAgent, ...task.headers };
  const began = monotonic();
  let exchanged: Exchanged | undefined;
  let failure: string | undefined;
  try {
    exchanged = await withDeadline(task.timeoutMs, context.signal, (signal) =>
      exchange({ ...task, headers, body: task.body.bytes }, context.network, signal),
    );
  } catch (error) {
    failure = (error as Error).message;
  }
  const costNs = monotonic() - began;
  let post: PostOutcome | undefined;
  const body = exchanged?.body.toString("utf8") ?? "";
  if (exchanged !== undefined) {
    const outcomes = task.checks.map((check) => check({ exchanged: exchanged!, body, costNs }));
    try {
      if (task.postScript !== "") {
        post = await runPostScript(task.postScript, { exchanged, body }, context);
        outcomes.push(post.failure);
      }
      failure = joinOutcomes(task.logic, outcomes);
    } catch (error) {
      failure = (error as Error).message;
    }
  }
  return resultOf({
    tags: { ...tagsOf(task, exchanged), ...task.tags },
    fields: {
      response_time: micros(costNs),
      response_body_size: exchanged?.body.length ?? 0,
      status_code: exchanged?.status ?? 0,
      ...(exchanged === undefined ? {} : timingOf(exchanged)),
    },
    failure,
    message: {
      request_body: task.body.text,
      request_header: headers,
      ...(failure === undefined || exchanged === undefined
        ? {}
        : {
            response_header: headerObject(exchanged.headers),
            ...(task.keepBody ? { response_body: cut(body, 10 * 1024) } : {}),
          }),
    },
    ...(post === undefined ? {} : { variables: post.variables }),
  });
}

function tagsOf({ name, givenUrl, method }: HttpTask, exchanged: Exchanged | undefined): Record<string, string> {
  const tags = { name, url: givenUrl, method };
  if (exchanged === undefined) return tags;
  const { status, statusText, address, protocol } = exchanged;
  return {
    ...tags,
    dest_ip: address,
    proto: protocol,
    status_code_string: statusText === "" ? String(status) : `${status} ${statusText}`,
    status_code_class: `${Math.floor(status / 100)}xx`,
  };
}

function timingOf({ timing }: Exchanged): Record<string, number> {
  return {
    response_dns: timing.dns,
    response_connection: timing.connection,
    response_ssl: timing.ssl,
    response_ttfb: timing.ttfb,
    response_download: timing.download,
  };
}

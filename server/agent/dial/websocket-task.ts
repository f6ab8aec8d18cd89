// The WebSocket dial test (docs/reference/agent.md#dial-tests): opens a connection, sends one message and reads one
// answer. Does not verify certificates.

import { once } from "node:events";
import type { IncomingMessage, OutgoingHttpHeaders } from "node:http";
import { WebSocket } from "ws";
import { answerChecks, durationOf, joinOutcomes, type TimedAnswer, textCheck } from "./checks.ts";
import { ignoreErrors } from "./connect.ts";
import { type DialContext, monotonic } from "./context.ts";
import { withDeadline } from "./deadline.ts";
import { TaskError } from "./dial-error.ts";
import { checkedHeaders } from "./http-task.ts";
import { type Json, objectOf, objectsOf, textOf, textsOf } from "./members.ts";
import { pinned } from "./networks.ts";
import { micros, type Result, resultOf } from "./result.ts";

interface Answer extends TimedAnswer {
  readonly header: (name: string) => string;
}

export interface WebSocketTask {
  readonly name: string;
  readonly givenUrl: string;
  readonly url: URL;
  readonly message: string;
  readonly headers: OutgoingHttpHeaders;
  readonly timeoutMs: number;
  readonly logic: string;
  readonly checks: readonly ((answer: Answer) => string | undefined)[];
  readonly tags: Readonly<Record<string, string>>;
}

const maxMessageBytes = 1024 * 1024;

export function readWebSocketTask(task: Json, given: Json): WebSocketTask {
  const text = textOf(task, "url");
  if (text === "") throw new TaskError("URL should not be empty");
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== "ws:" && url.protocol !== "wss:") || url.hash !== "") {
    throw new TaskError(`invalid URL ${JSON.stringify(text)}`);
  }
  const conditions = objectsOf(task, "success_when");
  if (conditions.length === 0) throw new TaskError("no any check rule");
  const options = objectOf(task, "advance_options");
  const request = objectOf(options, "request_options");
  const headers = checkedHeaders(textsOf(request, "headers").filter(([name]) => !/^sec-websocket-/i.test(name)));
  const auth = objectOf(options, "auth");
  const pair = `${textOf(auth, "username")}:${textOf(auth, "password")}`;
  if (pair !== ":") headers.authorization = `Basic ${Buffer.from(pair).toString("base64")}`;
  return {
    name: textOf(task, "name"),
    givenUrl: textOf(given, "url"),
    url,
    message: textOf(task, "message"),
    headers,
    timeoutMs: durationOf(textOf(request, "timeout") || "30s") / 1e6,
    logic: textOf(task, "success_when_logic"),
    checks: conditions.flatMap(checksOf),
    tags: Object.fromEntries(textsOf(task, "tags")),
  };
}

function checksOf(condition: Json): WebSocketTask["checks"][number][] {
  const headers = Object.keys(objectOf(condition, "header")).flatMap((name) =>
    objectsOf(objectOf(condition, "header"), name).map((option) => {
      const check = textCheck(option, `Websocket header \`${name}'`);
      return ({ header }: Answer) => check(header(name));
    }),
  );
  return [...answerChecks(condition, "Websocket"), ...headers];
}

export async function runWebSocketTask(task: WebSocketTask, context: DialContext): Promise<Result> {
  const began = monotonic();
  let dnsNs = 0n;
  let answer: Answer | undefined;
  let failure: string | undefined;
  try {
    answer = await withDeadline(task.timeoutMs, context.signal, async (signal) => {
      const addresses = await context.network.resolve(task.url.hostname);
      dnsNs = monotonic() - began;
      const { message, header } = await talk(task, context.userAgent, pinned(addresses), signal);
      const withDnsNs = monotonic() - began;
      return { message, header, withDnsNs, costNs: withDnsNs - dnsNs };
    });
    failure = joinOutcomes(
      task.logic,
      task.checks.map((check) => check(answer!)),
    );
  } catch (error) {
    failure = (error as Error).message;
  }
  const withDnsNs = answer?.withDnsNs ?? monotonic() - began;
  const fields = {
    response_time: micros(withDnsNs - dnsNs),
    response_time_with_dns: micros(withDnsNs),
    response_message: answer?.message ?? "",
    sent_message: task.message,
  };
  return resultOf({
    tags: { name: task.name, url: task.givenUrl, proto: "websocket", ...task.tags },
    fields,
    failure,
    message: fields,
  });
}

async function talk(
  { url, headers, message }: WebSocketTask,
  userAgent: string,
  lookup: ReturnType<typeof pinned>,
  signal: AbortSignal,
): Promise<Pick<Answer, "message" | "header">> {
  const socket = new WebSocket(url, {
    headers: { "user-agent": userAgent, ...headers },
    lookup,
    agent: false,
    followRedirects: false,
    rejectUnauthorized: false,
    maxPayload: maxMessageBytes,
  });
  ignoreErrors(socket);
  try {
    const upgraded = once(socket, "upgrade", { signal });
    const opened = once(socket, "open", { signal });
    opened.catch(() => {});
    // Listens for messages before the upgrade has finished, since a server's first message may arrive together with the
    // upgrade.
    const answered = once(socket, "message", { signal });
    answered.catch(() => {});
    const [response] = (await upgraded) as [IncomingMessage];
    await opened;
    socket.send(message);
    const [data] = await answered;
    return {
      message: String(data),
      header: (name) => {
        const value = response.headers[name.toLowerCase()];
        return (Array.isArray(value) ? value[0] : value) ?? "";
      },
    };
  } finally {
    socket.terminate();
  }
}

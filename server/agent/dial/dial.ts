// Runs a dial test (a test request to a server) once, so that the user can debug it
// (docs/reference/agent.md#dial-tests). Reads the task (the JSON description of the test), checks the hosts in the
// task, renders the templates, runs the test and returns the result.

import { shortenedText } from "../../../lib/text/index.ts";
import { formatDuration } from "../../config/go-duration.ts";
import { isRecord } from "../../http/body/json-body.ts";
import { type DialContext, monotonic } from "./context.ts";
import { withSignal } from "./deadline.ts";
import { TaskError } from "./dial-error.ts";
import { httpHosts, readHttpTask, runHttpTask } from "./http-task.ts";
import { readIcmpTask, runIcmpTask } from "./icmp-task.ts";
import { boolOf, bothSpellings, type Json, MemberError, objectOf, objectsOf, textOf, textsOf } from "./members.ts";
import { multiHosts, readMultiTask, runMultiTask } from "./multi-task.ts";
import { Forbidden, Unresolved } from "./networks.ts";
import type { Result } from "./result.ts";
import { readTcpTask, runTcpTask } from "./tcp-task.ts";
import { renderAll, TemplateError, type Variables } from "./templates.ts";
import { readWebSocketTask, runWebSocketTask } from "./websocket-task.ts";

/** Thrown when a dial test is refused before it runs. The client gets the status 400 with this error's message. */
export class DialRefused extends Error {}

/** A parsed task (the JSON description of a dial test) that is ready to run. */
interface Ready {
  readonly hosts: readonly string[];
  run(context: DialContext): Promise<Result>;
}

interface Kind {
  /**
   * Names of the members that a task (the JSON description of a dial test) of this type may have, in addition to
   * the members of tasks of every type. The answer to the client repeats the members with these names.
   */
  readonly own: readonly string[];
  /**
   * Parses the task (the JSON description of a dial test). In `task`, the templates have been replaced by their
   * values; `given` is the task as the client sent it. Throws TaskError or MemberError.
   */
  read(task: Json, given: Json, variables: Variables): Ready;
}

const common = ["success_when", "success_when_logic"];
const route = ["enable_traceroute", "traceroute_config"];

const kinds: Readonly<Record<string, Kind>> = {
  HTTP: {
    own: ["method", "url", "post_script", "advance_options", ...common],
    read: (sent, given) => {
      const task = readHttpTask(sent, given);
      return { hosts: httpHosts(task), run: (context) => runHttpTask(task, context) };
    },
  },
  TCP: {
    own: ["host", "port", "message", "timeout", ...route, ...common],
    read: (sent) => {
      const task = readTcpTask(sent);
      return { hosts: [task.host], run: (context) => runTcpTask(task, context) };
    },
  },
  ICMP: {
    own: ["host", "packet_count", "timeout", ...route, ...common],
    read: (sent) => {
      const task = readIcmpTask(sent);
      return { hosts: [task.host], run: (context) => runIcmpTask(task, context) };
    },
  },
  WEBSOCKET: {
    own: ["url", "message", "advance_options", ...common],
    read: (sent, given) => {
      const task = readWebSocketTask(sent, given);
      return { hosts: [task.url.hostname], run: (context) => runWebSocketTask(task, context) };
    },
  },
  MULTI: {
    own: ["steps"],
    read: (sent, _given, variables) => {
      const task = readMultiTask(sent);
      return { hosts: multiHosts(task, variables), run: (context) => runMultiTask(task, context) };
    },
  },
};

/**
 * Names of the members of a task in which templates are rendered before the test starts. For a test with several steps
 * (MULTI), the templates of each step are rendered when the step runs.
 */
const rendered = ["url", "host", "port", "message", "advance_options", "success_when"];

export interface DialOptions extends Omit<DialContext, "variables"> {
  /**
   * Milliseconds that a dial test may take. A test that takes longer is answered with the status 408 and without a
   * result.
   */
  readonly longestMs: number;
  /**
   * Whether all hosts of a dial test are checked before the test runs. If so, the test is refused when a host is in a
   * forbidden network.
   */
  readonly checksHosts: boolean;
}

/** Runs a dial test. Returns the member `content` of the answer. Throws DialRefused when the test is refused. */
export async function debugDial(request: Json, options: DialOptions): Promise<Record<string, unknown>> {
  const type = typeOf(request);
  const kind = Object.hasOwn(kinds, type) ? kinds[type] : undefined;
  if (kind === undefined) throw new DialRefused(`unknown task type:${type}`);
  const given = memberOf(() => normalized(objectOf(request, "task")), request.task);
  if (memberOf(() => textOf(given, "status"), given).toLowerCase() === "stop") {
    throw new DialRefused("the task status is stop");
  }
  const configured = memberOf(() => configVariables(given, request), given);
  const variables = variablesOf(configured, request);
  const task = render(given, variables);
  const declaredHosts = namedHosts(task);
  if (options.checksHosts) await checkHosts(declaredHosts, options);
  const ready = prepare(kind, task, given, variables);
  const others = ready.hosts.filter((host) => !declaredHosts.includes(host));
  if (options.checksHosts) await checkHosts(others, options);
  const began = monotonic();
  const result = await withSignal(options.longestMs, options.signal, (signal) =>
    ready.run({ ...options, signal, variables }),
  );
  const cost = formatDuration(monotonic() - began);
  return {
    cost,
    error_msg: shortenedText(result.failure ?? ""),
    status: result.failure === undefined ? "success" : "fail",
    traceroute: result.hops,
    fields: {
      ...result.fields,
      ...result.tags,
      config_vars: JSON.stringify(
        configured.map(({ secure, value, name }) => ({ name, ...(secure ? {} : { value }), secure })),
      ),
      task: JSON.stringify(
        Object.fromEntries(kind.own.filter((name) => name in given).map((name) => [name, given[name]])),
      ),
      ...(result.variables === undefined ? {} : { post_script_variables: JSON.stringify(result.variables) }),
    },
  };
}

const texts = ["name", "url", "host", "method", "message", "timeout", "post_script", "success_when_logic"];

/**
 * Checks the types of the members that every task (the JSON description of a dial test) has. When a member has two
 * spellings (`success_when`, `SuccessWhen`), the one with underscores wins. Throws MemberError.
 */
function normalized(task: Json): Json {
  for (const name of texts) textOf(task, name);
  textsOf(task, "tags");
  const { labels = [] } = task;
  if (labels !== null && !(Array.isArray(labels) && labels.every((label) => typeof label === "string"))) {
    throw new MemberError("labels must be a list of strings");
  }
  return bothSpellings(task);
}

function typeOf(request: Json): string {
  const type = request.task_type ?? "";
  if (typeof type !== "string") throw new DialRefused("task_type must be a string");
  return type.toUpperCase();
}

function memberOf<T>(read: () => T, task: unknown): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof MemberError)) throw error;
    throw new DialRefused(`json.Unmarshal failed: ${error.message}, task json: ${JSON.stringify(task)}`);
  }
}

interface ConfigVariable {
  readonly name: string;
  readonly value: string;
  readonly secure: boolean;
}

/**
 * Returns the variables that the task defines. A variable with `type: "global"` gets the value of the request's
 * variable that has the same id.
 */
function configVariables(task: Json, request: Json): ConfigVariable[] {
  return objectsOf(task, "config_vars").map((each) => {
    const id = textOf(each, "id");
    const shared = requestVariables(request).find((variable) => variable.id === id);
    const value = textOf(each, "type") === "global" ? (shared?.value ?? "") : textOf(each, "value");
    return { name: named(textOf(each, "name")), value, secure: boolOf(each, "secure") };
  });
}

function requestVariables(request: Json): { id: string; name: string; value: string }[] {
  return Object.entries(objectOf(request, "variables")).map(([id, each]) => {
    if (!isRecord(each)) throw new MemberError(`variables.${id} must be an object`);
    return { id, name: textOf(each, "name"), value: textOf(each, "value") };
  });
}

function named(name: string): string {
  if (!/[a-zA-Z_][a-zA-Z0-9_]*$/.test(name)) throw new DialRefused(`task check failed: invalid variable name ${name}`);
  return name;
}

/**
 * Returns the variables of the task and of the request. When two variables have the same name, the variable of
 * the task is used.
 */
function variablesOf(configured: readonly ConfigVariable[], request: Json): Variables {
  const shared = memberOf(() => requestVariables(request), request.variables).filter(({ name }) => name !== "");
  return new Map([...shared, ...configured].map(({ name, value }) => [named(name), value]));
}

function render(given: Json, variables: Variables): Json {
  try {
    const parts = rendered.filter((name) => given[name] !== undefined);
    return { ...given, ...Object.fromEntries(parts.map((name) => [name, renderAll(given[name], variables)])) };
  } catch (error) {
    if (error instanceof TemplateError) throw new DialRefused(`render template error: ${error.message}`);
    throw error;
  }
}

/**
 * Returns the host in the task's member `url` or `host`. This host is checked before the other members of the
 * task are parsed.
 */
function namedHosts({ host, url }: Json): string[] {
  const target = typeof url === "string" && URL.canParse(url) ? new URL(url).hostname : host;
  return typeof target === "string" && target.trim() !== "" ? [target.trim()] : [];
}

function prepare(kind: Kind, task: Json, given: Json, variables: Variables): Ready {
  try {
    return kind.read(task, given, variables);
  } catch (error) {
    if (error instanceof TemplateError) throw new DialRefused(`render template error: ${error.message}`);
    if (error instanceof TaskError) throw new DialRefused(`task check failed: ${error.message}`);
    if (!(error instanceof MemberError)) throw error;
    throw new DialRefused(`json.Unmarshal failed: ${error.message}, task json: ${JSON.stringify(given)}`);
  }
}

async function checkHosts(hosts: readonly string[], { network }: DialOptions): Promise<void> {
  try {
    for (const host of hosts) await network.resolve(host);
  } catch (error) {
    if (error instanceof Unresolved) throw new DialRefused(`dest host is not valid: ${error.message}`);
    if (error instanceof Forbidden) {
      throw new DialRefused(`dest host [${[...new Set(hosts)].join(",")}] is not allowed to be tested`);
    }
    throw error;
  }
}

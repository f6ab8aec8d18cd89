// The dial test with several steps (docs/reference/agent.md#dial-tests): runs HTTP requests and pauses in order. The
// post script of a step is a script that checks the response; variables that it sets in `vars` are available to later
// steps.

import { isRecord } from "../../http/body/json-body.ts";
import { type DialContext, monotonic } from "./context.ts";
import { abortMessage } from "./deadline.ts";
import { TaskError } from "./dial-error.ts";
import { httpHosts, readHttpTask, runHttpTask } from "./http-task.ts";
import {
  boolOf,
  bothSpellings,
  type Json,
  MemberError,
  numberOf,
  objectOf,
  objectsOf,
  textOf,
  textsOf,
} from "./members.ts";
import { micros, type Result, resultOf } from "./result.ts";
import { renderAll, TemplateError, type Variables } from "./templates.ts";

interface Extracted {
  readonly name: string;
  readonly field: string;
  readonly secure: boolean;
}

interface WaitStep {
  readonly type: "wait";
  readonly name: string;
  readonly seconds: number;
}

interface HttpStep {
  readonly type: "http";
  readonly name: string;
  readonly text: string;
  readonly task: Json;
  readonly allowFailure: boolean;
  readonly retries: number;
  readonly pauseMs: number;
  readonly extracted: readonly Extracted[];
}

export interface MultiTask {
  readonly name: string;
  readonly steps: readonly (WaitStep | HttpStep)[];
  readonly tags: Readonly<Record<string, string>>;
}

const maxSteps = 100;

export function readMultiTask(task: Json): MultiTask {
  const steps = objectsOf(task, "steps");
  if (steps.length === 0) throw new TaskError("no steps found");
  if (steps.length > maxSteps) throw new TaskError(`more than ${maxSteps} steps`);
  return {
    name: textOf(task, "name"),
    steps: steps.map(readStep),
    tags: Object.fromEntries(textsOf(task, "tags")),
  };
}

function readStep(step: Json): WaitStep | HttpStep {
  const type = textOf(step, "type");
  const name = textOf(step, "name");
  if (type === "wait") {
    const seconds = numberOf(step, "value", 0);
    if (!(seconds >= 1 && seconds <= 180)) throw new TaskError("wait step value should be in 1 ~ 180");
    return { type, name, seconds };
  }
  if (type !== "http") throw new TaskError("step type should be wait or http");
  const retry = objectOf(step, "retry");
  const retries = numberOf(retry, "retry", 0);
  if (!(retries >= 0 && retries <= 5)) throw new TaskError("retry should be in 0 ~ 5");
  const pauseMs = numberOf(retry, "interval", 0);
  if (!(pauseMs >= 0 && pauseMs <= 5000)) throw new TaskError("retry interval should be in 0 ~ 5000");
  const text = textOf(step, "task");
  if (text === "") throw new TaskError("http step task should not be empty");
  return {
    type,
    name,
    text,
    task: taskOf(text),
    allowFailure: boolOf(step, "allow_failure"),
    retries,
    pauseMs,
    extracted: objectsOf(step, "extracted_vars").map((each) => ({
      name: textOf(each, "name"),
      field: textOf(each, "field"),
      secure: boolOf(each, "secure"),
    })),
  };
}

function taskOf(text: string): Json {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new TaskError(`http step task: ${(error as Error).message}`);
  }
  if (!isRecord(value)) throw new TaskError("http step task should be an object");
  return bothSpellings(value);
}

/**
 * Returns the hosts to which the steps of the test connect. Omits a host that is only known at run time, because
 * it depends on the result of an earlier step.
 */
export function multiHosts({ steps }: MultiTask, variables: Variables): string[] {
  return steps.flatMap((step) => {
    if (step.type === "wait") return [];
    try {
      return httpHosts(readHttpTask(renderAll(step.task, variables), step.task));
    } catch (error) {
      // The host of a step may come from the result of an earlier step. Such a host is left out here and is checked
      // when the step runs.
      if (error instanceof TemplateError || mentionsExtracted(step, steps)) return [];
      throw error;
    }
  });
}

function mentionsExtracted(step: HttpStep, steps: MultiTask["steps"]): boolean {
  return steps.some((each) => each.type === "http" && each.extracted.some(({ name }) => step.text.includes(name)));
}

export async function runMultiTask(task: MultiTask, context: DialContext): Promise<Result> {
  const began = monotonic();
  const variables = new Map(context.variables);
  const shown: Record<string, unknown>[] = [];
  let last: Result | undefined;
  let lastStep = -1;
  let failure: string | undefined;
  for (const [at, step] of task.steps.entries()) {
    if (failure !== undefined || context.signal.aborted) {
      shown.push(listed(step));
      continue;
    }
    if (step.type === "wait") {
      await pause(step.seconds * 1000, context.signal);
      shown.push({ ...listed(step), task_start_time: Date.now() });
      continue;
    }
    const startedAt = Date.now();
    lastStep = at;
    last = await runStep(step, { ...context, variables });
    for (const { name, field } of step.extracted) {
      const found = last.variables ?? {};
      if (Object.hasOwn(found, field)) variables.set(name, found[field]!);
    }
    shown.push({
      ...listed(step),
      task_start_time: startedAt,
      ...last.fields,
      ...last.tags,
      name: last.tags.name || step.name,
      extracted_vars: step.extracted.map(({ name, field, secure }) => ({
        name,
        field,
        secure,
        ...(secure ? {} : { value: variables.get(name) ?? "" }),
      })),
    });
    if (last.failure !== undefined && !step.allowFailure) failure = last.failure;
  }
  return resultOf({
    tags: { name: task.name, ...task.tags },
    fields: {
      last_step: lastStep,
      response_time: micros(monotonic() - began),
      steps: JSON.stringify(shown),
    },
    failure: abortMessage(context.signal) ?? last?.failure,
    message: last === undefined ? {} : JSON.parse(messageOf(last)),
  });
}

/**
 * Returns the message of a step's result as JSON text. A message that was truncated is no valid JSON, so it is wrapped
 * in a JSON object.
 */
function messageOf({ fields }: Result): string {
  const text = String(fields.message);
  return text.endsWith("...") ? JSON.stringify({ message: text }) : text;
}

function listed(step: WaitStep | HttpStep): Record<string, unknown> {
  return step.type === "wait"
    ? { type: step.type, name: step.name, value: step.seconds }
    : { type: step.type, name: step.name, allow_failure: step.allowFailure, task: step.text };
}

/** Runs one step of the dial test. After a failure, repeats the step as often as its retries allow. */
async function runStep(step: HttpStep, context: DialContext): Promise<Result> {
  for (let tries = 0; ; tries++) {
    const result = await tryStep(step, context);
    if (result.failure === undefined || tries >= step.retries || context.signal.aborted) return result;
    await pause(step.pauseMs, context.signal);
  }
}

async function tryStep(step: HttpStep, context: DialContext): Promise<Result> {
  try {
    return await runHttpTask(readHttpTask(renderAll(step.task, context.variables), step.task), context);
  } catch (error) {
    const isOfTask = error instanceof TemplateError || error instanceof TaskError || error instanceof MemberError;
    if (!isOfTask) throw error;
    return resultOf({ tags: {}, fields: {}, failure: error.message, message: {} });
  }
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    signal.addEventListener("abort", done, { once: true });
    if (signal.aborted) done();
  });
}

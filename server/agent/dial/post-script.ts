// Runs the post script of an HTTP test (docs/reference/agent.md#dial-tests). A post script is a pipeline script that
// gets the response and the variables, and decides whether the test has failed.

import { isRecord } from "../../http/body/json-body.ts";
import type { DialContext } from "./context.ts";
import { abortMessage } from "./deadline.ts";
import { type Exchanged, headerObject } from "./http-exchange.ts";
import { cut } from "./result.ts";

export interface PostOutcome {
  /** The reason for which the post script rejects the response; undefined when it accepts the response. */
  readonly failure: string | undefined;
  readonly variables: Readonly<Record<string, string>>;
}

const before = 'content = load_json(_)\nresponse = content["response"]\nvars = content["vars"]\nresult = {}\n';
const after = "\nadd_key(result, result)\nadd_key(vars, vars)\n";
const longestMessage = 1024;

/** Runs a post script over the response of an HTTP test. Throws when the script does not compile or fails. */
export async function runPostScript(
  script: string,
  { exchanged, body }: { readonly exchanged: Exchanged; readonly body: string },
  { runScript, variables, signal }: DialContext,
): Promise<PostOutcome> {
  const text = JSON.stringify({
    response: { status_code: exchanged.status, header: headerObject(exchanged.headers), body },
    vars: Object.fromEntries(variables),
  });
  let fields: Readonly<Record<string, unknown>>;
  try {
    fields = await runScript(before + script + after, text, signal);
  } catch (error) {
    throw new Error(`run pipeline failed: ${abortMessage(signal) ?? (error as Error).message}`);
  }
  const result = mapOf(fields.result);
  const message = typeof result.error_message === "string" ? result.error_message : "";
  return {
    failure: result.is_failed === true ? cut(message, longestMessage) || "post script failed" : undefined,
    variables: Object.fromEntries(
      Object.entries(mapOf(fields.vars)).map(([name, value]) => [
        name,
        typeof value === "string" ? value : JSON.stringify(value),
      ]),
    ),
  };
}

/** Parses a field whose value is a map, written as JSON text. Returns an empty map for any other field. */
function mapOf(field: unknown): Record<string, unknown> {
  if (typeof field !== "string") return {};
  try {
    const value: unknown = JSON.parse(field);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

// POST /v1/dialtesting/debug (docs/reference/agent.md#dial-tests): runs a dial test (a test request to a server) once
// and returns its result.

import { answerContent } from "../../http/answer.ts";
import { isRecord, readJson } from "../../http/body/json-body.ts";
import { ApiError } from "../../http/errors.ts";
import { identityOf } from "../../http/version.ts";
import type { Agent } from "../agent.ts";
import { debugScripts } from "../debug/debug.ts";
import { type PlError, plErrorText, wallClock } from "../engine.ts";
import { requestTimeoutMs } from "../serving/http-server.ts";
import type { Route } from "../serving/route.ts";

const maxBytes = 16 * 1024 * 1024;
const code = "agent.invalidRequest";

export const dialtestingDebug: Route = {
  method: "POST",
  url: "/v1/dialtesting/debug",
  isOn: (config) => config["dialtesting.enable_debug_api"],
  handle: async (agent, { request, reply, signal }) => {
    const { budget, config, hostname } = agent;
    const body = await readJson(request.raw, { budget, maxBytes, code });
    if (!isRecord(body)) throw new ApiError(code, "an object is expected");
    const checksHosts = config["dialtesting.disable_internal_network_task"];
    // The module that runs dial tests is imported only when the route is called, because few agents run dial tests and
    // the module takes 6 MB of memory.
    const [{ DialRefused, debugDial }, { createNetwork }] = await Promise.all([
      import("../dial/dial.ts"),
      import("../dial/networks.ts"),
    ]);
    const network = createNetwork({
      check: checksHosts,
      cidrs: config["dialtesting.disabled_internal_network_cidr_list"],
    });
    try {
      const content = await debugDial(body, {
        network,
        checksHosts,
        userAgent: `agent-${process.platform}-${process.arch}/${identityOf(hostname)}`,
        longestMs: requestTimeoutMs(config) * 0.9,
        signal,
        runScript: (script, text, ended) => runScript(agent, script, text, ended),
      });
      return await answerContent(reply, content);
    } catch (error) {
      if (error instanceof DialRefused) throw new ApiError(code, error.message);
      throw error;
    }
  },
};

const name = "post_script";

/**
 * Runs the post script of a dial test (a script that checks the response) in a worker thread of its own. The script has
 * the same deadline as in the script-debugging interface.
 */
async function runScript(
  { wasm, config, debugDeadlineMs, debugEnvironment, patterns, tables, tags }: Agent,
  script: string,
  text: string,
  signal: AbortSignal,
): Promise<Readonly<Record<string, unknown>>> {
  const { scriptError, results } = await debugScripts(
    {
      wasm,
      environment: debugEnvironment,
      patterns: patterns(),
      tables: tables(),
      hostTags: tags.forWrite(false, true),
      category: "logging",
      scriptName: name,
      scripts: { [name]: Buffer.from(script).toString("base64") },
      data: [Buffer.from(text).toString("base64")],
      dataType: "text/plain",
      encode: "",
      benchmark: false,
      deadlineMs: debugDeadlineMs,
      maxBytes: config["pipeline.max_bytes_per_point"],
      now: wallClock(),
    },
    signal,
  );
  if (scriptError !== undefined) throw new Error(plErrorText(scriptError));
  const { point, run_error: runError } = JSON.parse(results[0]) as {
    point: { fields: Record<string, unknown> } | null;
    run_error: PlError | null;
  };
  if (runError !== null) throw new Error(plErrorText(runError));
  return point?.fields ?? {};
}

// `millrace dashboard list | import | export`: reads and writes dashboards of the platform, through a running agent or
// directly with an API key.

import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { shownText } from "../../lib/text/index.ts";
import { defaults } from "../config/schema.ts";
import { readyDashboard, readyDashboards } from "../dashboards/ready-dashboards.ts";
import { callPlace, type PlaceAnswer, placeOf, placeOptions } from "./agent-place.ts";
import { print, printData, printLine } from "./terminal/print.ts";
import { tableText } from "./terminal/table.ts";
import { dashboardUsage } from "./usage/tools.ts";
import { UsageError } from "./usage-error.ts";

/** Sends a request to a path of the Open API, such as `/dashboard/list`. Returns the text of a successful answer. */
type AskOpenApi = (path: string, json?: string) => Promise<string>;

export async function dashboard(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      ...placeOptions,
      host: { type: "string" },
      key: { type: "string" },
      name: { type: "string" },
      ready: { type: "boolean", default: false },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help) {
    print(dashboardUsage);
    return 0;
  }
  const [verb, what, ...more] = positionals;
  if (more.length > 0 || (what !== undefined) === (verb === "list")) throw new UsageError(dashboardUsage);
  if (verb === "list" && values.ready) return listReady();
  const ask = openApiClient(values);
  switch (verb) {
    case "list":
      return await list(ask);
    case "import":
      return await importDashboard(ask, what!, values.name);
    case "export":
      return await exportDashboard(ask, what!);
    default:
      throw new UsageError(dashboardUsage);
  }
}

interface Where {
  readonly to?: string;
  readonly ca?: string;
  readonly host?: string;
  readonly key?: string;
}

const answerMs = 30_000;

function openApiClient({ to, ca, host, key: given = process.env.DF_API_KEY ?? "" }: Where): AskOpenApi {
  if (to !== undefined && host !== undefined) throw new UsageError("--to and --host: one of them");
  const key = given.startsWith("file:") ? readKey(given.slice("file:".length)) : given;
  if (host !== undefined && key === "") throw new UsageError("--host: a platform needs a key: --key, or DF_API_KEY");
  const at = host ?? to ?? defaults()["http_api.listen"];
  const place = placeOf(at, ca);
  const base = host === undefined ? "/openapi/v1" : "/api/v1";
  const service = host === undefined ? "agent" : "platform";
  return async (path, body) => {
    const headers = {
      ...(key === "" ? {} : { "df-api-key": key }),
      ...(body === undefined
        ? {}
        : { "content-type": "application/json", "content-length": String(Buffer.byteLength(body)) }),
    };
    const call = { path: `${base}${path}`, headers, timeoutMs: answerMs };
    const answered = await callPlace(place, body === undefined ? call : { ...call, method: "POST", body }).catch(
      (error: Error) => {
        throw new UsageError(`no ${service} answers at ${at}: ${error.message}; start one: millrace start`);
      },
    );
    if (answered.status !== 200) throw new UsageError(refusalOf(answered));
    return answered.text;
  };
}

function readKey(file: string): string {
  try {
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    throw new UsageError(`--key: ${(error as Error).message}`);
  }
}

/**
 * Returns the message of a refused request as `[code] message`. The code is in the member `errorCode` of an answer of
 * the Open API, and in the member `error_code` of an answer of the agent.
 */
function refusalOf({ status, text }: PlaceAnswer): string {
  let body: Readonly<Record<string, unknown>> = {};
  try {
    body = (JSON.parse(text) ?? {}) as typeof body;
  } catch {
    // The body of the answer is not JSON, so the server is neither an agent nor a platform.
  }
  const code = String(body.errorCode ?? body.error_code ?? `status ${status}`);
  const hint = code === "InvalidApiKey" ? " Name another one with --key; millrace key create makes it." : "";
  return shownText(`[${code}] ${String(body.message ?? "")}`.trim()) + hint;
}

function listReady(): number {
  const rows = readyDashboards.map(({ name, title, needs }) => [name, title, needs]);
  print(`${tableText([["NAME", "TITLE", "NEEDS"], ...rows]).join("\n")}\n`);
  return 0;
}

const pageSize = 100;

async function list(ask: AskOpenApi): Promise<number> {
  const rows = [["UUID", "NAME", "CHARTS", "CHANGED"]];
  for (let page = 1; ; page++) {
    const { content, pageInfo } = JSON.parse(await ask(`/dashboard/list?pageIndex=${page}&pageSize=${pageSize}`)) as {
      readonly content: readonly {
        readonly uuid: string;
        readonly name: string;
        readonly chartPos: readonly unknown[];
        readonly updateAt: number;
      }[];
      readonly pageInfo: { readonly totalCount: number };
    };
    for (const { uuid, name, chartPos, updateAt } of content)
      rows.push([uuid, shownText(name), String(chartPos.length), new Date(updateAt * 1000).toISOString()]);
    if (content.length === 0 || page * pageSize >= pageInfo.totalCount) break;
  }
  print(`${tableText(rows).join("\n")}\n`);
  return 0;
}

/** Creates a dashboard from a ready dashboard or from a file with a template. The template is sent unchanged. */
async function importDashboard(ask: AskOpenApi, what: string, given: string | undefined): Promise<number> {
  const ready = readyDashboard(what);
  const template = ready === undefined ? readTemplate(what) : JSON.stringify(ready);
  const { title, main } = JSON.parse(template) as { title?: unknown; main?: { charts?: unknown } };
  const name = given ?? (typeof title === "string" && title !== "" ? title : what);
  const answered = await ask("/dashboard/create", `{"name":${JSON.stringify(name)},"templateInfo":${template}}`);
  const { uuid } = (JSON.parse(answered) as { content: { uuid: string } }).content;
  const charts = Array.isArray(main?.charts) ? main.charts.length : 0;
  printLine(`dashboard  ${uuid}, ${shownText(name)}, with ${charts} charts; the page shows it under Dashboards`);
  return 0;
}

/** Reads a file and returns its text, which must hold the template of a dashboard. Throws UsageError. */
function readTemplate(file: string): string {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    const names = readyDashboards.map(({ name }) => name).join(", ");
    throw new UsageError(`${(error as Error).message}; ready dashboards are ${names}`);
  }
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return text;
  } catch {
    // The error message says what the file should hold. The JSON parser's own message is not used, because it would
    // quote the file.
  }
  throw new UsageError(`${file}: not the JSON object that millrace dashboard export writes`);
}

/** Prints the content of a dashboard: exactly the bytes that the server has sent as its answer. */
async function exportDashboard(ask: AskOpenApi, uuid: string): Promise<number> {
  if (!/^[A-Za-z0-9_-]{1,128}$/.test(uuid)) throw new UsageError(`${shownText(uuid)} is no identifier of a dashboard`);
  const text = await ask(`/dashboard/${uuid}/export`);
  const [start, end] = [text.indexOf('"content":'), text.lastIndexOf(',"errorCode":')];
  if (start < 0 || end < start) throw new UsageError("the answer is not one of the Open API");
  await printData(`${text.slice(start + '"content":'.length, end)}\n`);
  return 0;
}

// Serves ClickHouse's engine (chdb) over the part of ClickHouse's HTTP interface that `@clickhouse/client` uses: a
// query in the body or in the URL parameter `query`, bound parameters as `param_NAME` in the URL or in a form, settings
// in the URL, bodies compressed or not. Runs one SQL statement at a time.
//
// For tests: `GET /bridge/log` returns the statements received, with their settings. `POST
// /bridge/lose-answers?match=TEXT` makes the bridge run the next statement that contains TEXT and then close the
// connection instead of answering.

import { createServer } from "node:http";
import { gunzipSync } from "node:zlib";
import { Session } from "chdb";

const session = new Session();
/** Matches URL parameters that are not settings. */
const others = /^(?:query|query_id|database|session_id|role|default_format|enable_http_compression)$|^param_/;
const log = [];
let losing = null;

const server = createServer(async (request, response) => {
  const url = new URL(request.url, "http://bridge");
  try {
    if (url.pathname === "/ping") return response.end("Ok.\n");
    if (url.pathname === "/bridge/log") return response.end(JSON.stringify(log));
    if (url.pathname === "/bridge/lose-answers") {
      losing = url.searchParams.get("match");
      return response.end();
    }
    const { statement, parameters, settings } = readStatement(url, request, await bodyOf(request));
    log.push({ statement: statement.slice(0, 2000), parameters, settings });
    const answer = run(statement, parameters, settings);
    if (losing !== null && statement.includes(losing)) {
      losing = null;
      return request.socket.destroy();
    }
    response.setHeader("content-type", "text/plain; charset=UTF-8");
    response.end(answer);
  } catch (error) {
    const code = error.clickhouseCode ?? /Code: ([0-9]+)/.exec(error.message)?.[1] ?? "1001";
    response.statusCode = 500;
    response.setHeader("x-clickhouse-exception-code", String(code));
    const text = /DB::Exception:.*/s.exec(error.message)?.[0] ?? `DB::Exception: ${error.message}`;
    response.end(`Code: ${code}. ${text}`);
  }
});
server.listen(0, "127.0.0.1", () => process.stdout.write(`${server.address().port}\n`));
process.stdin.on("end", () => process.exit(0)).resume();

async function bodyOf(request) {
  const parts = [];
  for await (const part of request) parts.push(part);
  const body = Buffer.concat(parts);
  return request.headers["content-encoding"] === "gzip" ? gunzipSync(body) : body;
}

function readStatement(url, request, body) {
  const fields = new Map([...url.searchParams]);
  const boundary = /^multipart\/form-data; boundary=(.+)$/.exec(request.headers["content-type"] ?? "")?.[1];
  if (boundary !== undefined)
    for (const [name, value] of formFields(body.toString("utf8"), boundary)) fields.set(name, value);
  const query = fields.get("query") ?? "";
  const data = boundary === undefined ? body.toString("utf8") : "";
  return {
    statement: query === "" || data === "" ? query + data : `${query}\n${data}`,
    parameters: Object.fromEntries(
      [...fields].flatMap(([name, value]) => (name.startsWith("param_") ? [[name.slice(6), unescaped(value)]] : [])),
    ),
    settings: Object.fromEntries([...url.searchParams].filter(([name]) => !others.test(name))),
  };
}

function formFields(text, boundary) {
  return text
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => {
      const end = part.indexOf("\r\n\r\n");
      return [/name="([^"]*)"/.exec(part.slice(0, end))[1], part.slice(end + 4, -2)];
    });
}

/** Decodes the value of a bound parameter, which has the escapes of ClickHouse's tab-separated format. */
function unescaped(text) {
  const signs = { t: "\t", n: "\n", r: "\r", b: "\b", f: "\f", 0: "\0" };
  return text === "\\N" ? null : text.replace(/\\(.)/gs, (_, sign) => signs[sign] ?? sign);
}

/**
 * Runs one statement with its settings and resets them afterwards. The bridge itself checks the setting `readonly` and
 * does not pass it to the engine, because the engine could not reset it.
 */
function run(statement, parameters, { readonly = "0", ...settings }) {
  if (readonly !== "0" && !/^\s*SELECT\b/i.test(statement))
    throw new Error("Code: 164. DB::Exception: Cannot execute query in readonly mode. (READONLY)");
  if (/^\s*KILL\b/i.test(statement)) return "";
  const names = Object.keys(settings);
  const unknown = names.find((name) => !/^[a-z0-9_]+$/.test(name));
  if (unknown !== undefined) throw new Error(`Code: 115. DB::Exception: Unknown setting ${unknown}. (UNKNOWN_SETTING)`);
  const text = (name) => `'${settings[name].replace(/[\\']/g, "\\$&")}'`;
  const set = (wanted) => {
    if (names.length > 0) session.query(`SET ${names.map((name) => `${name} = ${wanted(name)}`).join(", ")}`);
  };
  set(text);
  try {
    return Object.keys(parameters).length === 0 ? session.query(statement) : session.queryBind(statement, parameters);
  } finally {
    set(() => "DEFAULT");
  }
}

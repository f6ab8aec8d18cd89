// The bundled dashboards for the access and error logs of web servers and proxies.

import { bars, dashboard, lines, logs, type ReadyDashboard, table, toplist, value } from "./template.ts";

/**
 * Selects the lines of access logs that the bundled script of the web server could parse. When the script cannot
 * parse a line, the line's point has an empty URL or none. Lines of error logs are not selected, because they
 * have no status code.
 */
const ofRequests = "status_code = exists(), http_url = exists(), http_url != ''";

/**
 * Makes a dashboard for a web server whose access logs have the common or combined format. Lines in these
 * formats do not contain the duration of a request, so the dashboard does not list the slowest URLs.
 */
function webServer(name: string, title: string): ReadyDashboard {
  const from = `L::${name}`;
  return dashboard({ name, title, needs: `logs with source=${name}, which the ready script ${name}.p parses` }, [
    [
      value("Requests", `${from}:(count(status_code))`),
      value("Server errors", `${from}:(count(status_code)) {status_code >= 500}`),
      value("Bytes sent", `${from}:(sum(bytes))`, "B"),
      value("Clients", `${from}:(count_distinct(client_ip))`),
    ],
    [
      bars("Requests by status code", `${from}:(count(status_code)) {status_code = exists()} [::auto] BY status_code`),
      lines("Bytes sent", `${from}:(sum(bytes)) [::auto]`, "B"),
    ],
    [
      toplist(
        "Top URLs",
        `${from}:(count(status_code) AS requests) {${ofRequests}} BY http_url SORDER BY requests DESC SLIMIT 10`,
      ),
      toplist(
        "Most bytes by URL",
        `${from}:(sum(bytes) AS sent) {${ofRequests}} BY http_url SORDER BY sent DESC SLIMIT 10`,
        "B",
      ),
      toplist(
        "Top clients",
        `${from}:(count(status_code) AS requests) {status_code = exists()} BY client_ip SORDER BY requests DESC SLIMIT 10`,
      ),
    ],
    [
      toplist(
        "URLs with server errors",
        `${from}:(count(status_code) AS errors) {status_code >= 500, ${ofRequests}} BY http_url SORDER BY errors DESC SLIMIT 10`,
      ),
      table(
        "Methods and status codes",
        `${from}:(count(status_code) AS requests) {status_code = exists()} BY http_method, status_code SORDER BY requests DESC SLIMIT 20`,
      ),
    ],
    [logs("Errors", `${from}:(status, message) {status IN ['error', 'critical', 'warning']} LIMIT 100`)],
  ]);
}

/**
 * Makes a dashboard for logs that contain the duration of each request. `ms`: the name of the field with the
 * duration in milliseconds.
 */
function timedProxy(name: string, title: string, { ms, bytes }: { readonly ms: string; readonly bytes: string }) {
  const from = `L::${name}`;
  return dashboard({ name, title, needs: `logs with source=${name}, which the ready script ${name}.p parses` }, [
    [
      value("Requests", `${from}:(count(status_code))`),
      value("Server errors", `${from}:(count(status_code)) {status_code >= 500}`),
      value("95th percentile", `${from}:(p95(${ms}))`, "ms"),
      value("Bytes sent", `${from}:(sum(${bytes}))`, "B"),
    ],
    [
      bars("Requests by status code", `${from}:(count(status_code)) {status_code = exists()} [::auto] BY status_code`),
      lines("95th percentile of the time", `${from}:(p95(${ms})) [::auto]`, "ms"),
    ],
    [
      toplist(
        "Slowest URLs",
        `${from}:(p95(${ms}) AS p95) {${ofRequests}} BY http_url SORDER BY p95 DESC SLIMIT 10`,
        "ms",
      ),
      toplist(
        "Top URLs",
        `${from}:(count(status_code) AS requests) {${ofRequests}} BY http_url SORDER BY requests DESC SLIMIT 10`,
      ),
      toplist(
        "Most bytes by URL",
        `${from}:(sum(${bytes}) AS sent) {${ofRequests}} BY http_url SORDER BY sent DESC SLIMIT 10`,
        "B",
      ),
    ],
    [logs("Server errors", `${from}:(status_code, message) {status_code >= 500} LIMIT 100`)],
  ]);
}

export const webServerDashboards: readonly ReadyDashboard[] = [
  webServer("nginx", "nginx"),
  webServer("apache", "Apache HTTP server"),
  timedProxy("envoy", "Envoy", { ms: "duration_ms", bytes: "bytes_sent" }),
  timedProxy("haproxy", "HAProxy", { ms: "tt", bytes: "bytes" }),
];

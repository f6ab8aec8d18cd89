// Realistic inputs for benchmarks: logs and metrics whose lines all look alike.

import { seeded } from "./dice.ts";

const hosts = ["web-01", "web-02", "db-primary", "cache-eu-3"];
const methods = ["GET", "GET", "GET", "POST", "PUT", "DELETE"];
const paths = [
  "/",
  "/index.html",
  "/api/v1/orders?id=48213&page=2",
  "/static/app.3f9c2e.js",
  "/img/logo%20big.png",
  "/login",
];
const agents = [
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36",
  "curl/8.5.0",
  "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1",
];
const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

const pick = <T>(from: readonly T[], random: () => number): T => from[Math.floor(random() * from.length)]!;
const two = (value: number) => String(value).padStart(2, "0");

/** Returns access log lines in the combined log format, as nginx writes them. */
export function accessLines(count: number): string[] {
  const random = seeded(7);
  return Array.from({ length: count }, () => {
    const whole = (below: number) => Math.floor(random() * below);
    const ip = `${1 + whole(223)}.${whole(256)}.${whole(256)}.${whole(256)}`;
    const time = `${two(1 + whole(28))}/${pick(months, random)}/2025:${two(whole(24))}:${two(whole(60))}:${two(whole(60))} +0000`;
    const status = pick([200, 200, 200, 304, 404, 500], random);
    return `${ip} - - [${time}] "${pick(methods, random)} ${pick(paths, random)} HTTP/1.1" ${status} ${whole(90000)} "https://shop.example.org/" "${pick(agents, random)}"`;
  });
}

/** Returns log points of about 230 bytes in line protocol. Each has one access log line as the field `message`. */
export function logLines(count: number): string {
  return accessLines(count)
    .map(
      (line, at) =>
        `nginx,host=${hosts[at % hosts.length]} message="${line.replaceAll('"', '\\"')}" ${1700000000000000000n + BigInt(at)}\n`,
    )
    .join("");
}

/** Returns metric points of about 350 bytes in line protocol, with 6 tags and 14 fields each. */
export function metricLines(count: number): string {
  const random = seeded(11);
  const whole = (below: number) => Math.floor(random() * below);
  return Array.from({ length: count }, (_, at) => {
    const tags = `host=${hosts[at % hosts.length]},region=eu-central-1,rack=r${whole(40)},os=linux,arch=x64,team=payments`;
    const fields = [
      `usage_user=${(random() * 100).toFixed(4)}`,
      `usage_system=${(random() * 100).toFixed(4)}`,
      `usage_idle=${(random() * 100).toFixed(4)}`,
      `usage_iowait=${(random() * 10).toFixed(3)}`,
      `load1=${(random() * 8).toFixed(2)}`,
      `load5=${(random() * 8).toFixed(2)}`,
      `mem_used=${whole(2 ** 34)}i`,
      `mem_free=${whole(2 ** 34)}i`,
      `ctx_switches=${whole(2 ** 31)}i`,
      `interrupts=${whole(2 ** 31)}i`,
      `procs=${whole(900)}i`,
      `threads=${whole(9000)}i`,
      `uptime=${whole(10 ** 7)}i`,
      `healthy=${random() < 0.9}`,
    ].join(",");
    return `cpu,${tags} ${fields} ${1700000000000000000n + BigInt(at) * 1000000n}\n`;
  }).join("");
}

/** Returns points with `fields` fields each, in line protocol. */
export function wideLines(points: number, fields: number): string {
  const random = seeded(13);
  return Array.from({ length: points }, (_, at) => {
    const list = Array.from({ length: fields }, (_, i) => `field_${i}=${(random() * 1000).toFixed(3)}`);
    return `wide,host=${hosts[at % hosts.length]} ${list.join(",")} ${1700000000000000000n + BigInt(at)}\n`;
  }).join("");
}

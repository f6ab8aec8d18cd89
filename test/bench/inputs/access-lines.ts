// Makes lines of an nginx access log in the combined format. The lines differ in client address, path, status, size and
// user agent.

import { closeSync, openSync, writeSync } from "node:fs";

const agents = [
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36",
  "curl/8.5.0",
  "Mozilla/5.0 (iPhone; CPU iPhone OS 17_2 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148",
];
const paths = ["/", "/api/v1/items", "/static/app.js", "/login", "/search", "/images/logo.png"];
const statuses = [200, 200, 200, 200, 304, 404, 301, 500];

/** Returns the line with the given number, without a line feed. */
export function accessLine(number: number): string {
  const mixed = Math.imul(number, 2_654_435_761) >>> 0;
  const address = `${10 + (mixed % 200)}.${(mixed >>> 8) & 255}.${(mixed >>> 16) & 255}.${number & 255}`;
  const second = String(number % 60).padStart(2, "0");
  const path = `${paths[mixed % paths.length]}?id=${number}`;
  const [status, agent] = [statuses[(mixed >>> 5) % statuses.length], agents[(mixed >>> 3) % agents.length]];
  const time = `10/Oct/2024:13:55:${second} +0000`;
  return `${address} - - [${time}] "GET ${path} HTTP/1.1" ${status} ${mixed % 100_000} "https://example.com/" "${agent}"`;
}

/** Writes at least `bytes` bytes of lines to a file. Returns the number of lines and the length of the file. */
export function writeAccessFile(file: string, bytes: number): { readonly lines: number; readonly bytes: number } {
  const descriptor = openSync(file, "w");
  let [lines, length] = [0, 0];
  while (length < bytes) {
    let text = "";
    for (let each = 0; each < 5000 && length + text.length < bytes; each++) text += `${accessLine(lines++)}\n`;
    writeSync(descriptor, text);
    length += text.length;
  }
  closeSync(descriptor);
  return { lines, bytes: length };
}

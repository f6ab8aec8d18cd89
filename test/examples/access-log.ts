// Makes an access log in the format of nginx; the lines are the same in every run.

const paths = ["/", "/index.html", "/login", "/api/items?page=2", "/favicon.ico"];
const codes = [200, 200, 304, 404, 500];

export function accessLine(index: number): string {
  const second = String(index % 60).padStart(2, "0");
  const path = paths[index % 5]!;
  const code = codes[(index * 3) % 5]!;
  return `10.0.${index % 7}.${index % 250} - - [21/Nov/2025:10:00:${second} +0000] "GET ${path} HTTP/1.1" ${code} ${index % 1000} "-" "curl/8.0"`;
}

/** Returns `count` lines, each with a newline at its end. */
export function accessLog(count: number): string {
  return `${Array.from({ length: count }, (_, index) => accessLine(index)).join("\n")}\n`;
}

// The type of an example project, and the example that a first visit shows. The page loads the other examples when
// their menu is opened.

import { english } from "../text/translate.ts";
import { emptyProject, type Project } from "./project.ts";

export interface Example {
  readonly id: string;
  /** A short description of the example: an English text for `t`. */
  readonly about: string;
  readonly project: Project;
}

export function example(
  id: string,
  about: string,
  project: Omit<Partial<Project>, "scripts"> & { title: string; script: string },
) {
  const { script, ...rest } = project;
  const text = `${script.trim()}\n`;
  return { id, about, project: { ...emptyProject, ...rest, scripts: [{ name: `${id}.p`, text }] } };
}

/** The example that a first visit shows. */
export const firstExample: Example = example("nginx", english("access log: grok, types, status by code"), {
  title: "Nginx access log",
  source: "nginx",
  script: String.raw`
# The combined log format of nginx, one request per line.
add_pattern("who", "%{IPORHOST:client} %{NOTSPACE} %{NOTSPACE:user}")
add_pattern("request", "%{WORD:method} %{NOTSPACE:url} HTTP/%{NUMBER:http}")
add_pattern("answer", "%{INT:status_code:int} %{INT:bytes:int}")
add_pattern("browser", '"%{DATA:referrer}" "%{DATA:agent}"')

if !grok(_, '%{who} \\[%{HTTPDATE:time}\\] "%{request}" %{answer} %{browser}') {
    set_tag(broken, "yes")
    exit()
}

# A dash is how nginx writes nothing.
nullif(user, "-")
nullif(referrer, "-")

# Health checks are noise.
if url == "/healthz" {
    drop()
    exit()
}

group_between(status_code, [200, 299], "OK", status)
group_between(status_code, [300, 399], "notice", status)
group_between(status_code, [400, 499], "warning", status)
group_between(status_code, [500, 599], "error", status)

set_tag(method)
cover(client, [1, 4])
default_time(time)
`,
  input: `10.12.0.7 - - [21/Nov/2025:10:00:00 +0000] "GET / HTTP/1.1" 200 5120 "-" "Mozilla/5.0 (X11; Linux x86_64)"
10.12.0.7 - - [21/Nov/2025:10:00:00 +0000] "GET /assets/app.css HTTP/1.1" 200 18211 "https://shop.example/" "Mozilla/5.0 (X11; Linux x86_64)"
127.0.0.1 - - [21/Nov/2025:10:00:01 +0000] "GET /healthz HTTP/1.1" 200 2 "-" "kube-probe/1.31"
203.0.113.42 - ada [21/Nov/2025:10:00:02 +0000] "POST /api/orders HTTP/2.0" 201 348 "https://shop.example/cart" "Mozilla/5.0 (Macintosh)"
198.51.100.9 - - [21/Nov/2025:10:00:03 +0000] "GET /wp-login.php HTTP/1.1" 404 153 "-" "curl/8.5.0"
203.0.113.42 - ada [21/Nov/2025:10:00:05 +0000] "GET /api/orders/7731 HTTP/2.0" 200 1290 "https://shop.example/orders" "Mozilla/5.0 (Macintosh)"
10.12.0.9 - - [21/Nov/2025:10:00:06 +0000] "GET /old-page HTTP/1.1" 301 178 "-" "Mozilla/5.0 (Windows NT 10.0)"
203.0.113.77 - - [21/Nov/2025:10:00:08 +0000] "GET /api/stock?sku=A-17 HTTP/2.0" 502 559 "https://shop.example/item/A-17" "Mozilla/5.0 (iPhone)"
127.0.0.1 - - [21/Nov/2025:10:00:11 +0000] "GET /healthz HTTP/1.1" 200 2 "-" "kube-probe/1.31"
203.0.113.77 - - [21/Nov/2025:10:00:12 +0000] "GET /api/stock?sku=A-17 HTTP/2.0" 200 88 "https://shop.example/item/A-17" "Mozilla/5.0 (iPhone)"
this line was cut in the mid
192.0.2.200 - - [21/Nov/2025:10:00:14 +0000] "DELETE /api/cart/19 HTTP/2.0" 500 31 "-" "okhttp/4.12.0"
`,
});

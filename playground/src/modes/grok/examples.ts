// Example expressions, each with lines to match.

import type { GrokInput } from "../../state/project.ts";
import { english } from "../../text/translate.ts";

export interface GrokExample {
  readonly title: string;
  readonly about: string;
  readonly input: GrokInput;
}

const grok = { method: "grok", replacement: "", trim: true, patterns: "" } as const;

export const grokExamples: readonly GrokExample[] = [
  {
    title: english("A strange log"),
    about: english("lines only: press Suggest"),
    input: {
      ...grok,
      expression: "",
      lines: `2026-11-05 10:12:01.123 INFO [worker-3] com.example.Shop - order=7731 user=ada total=129.90 took 18ms
2026-11-05 10:12:01.480 WARN [worker-1] com.example.Stock - order=7732 user=bob total=8.00 took 420ms
2026-11-05 10:12:02.006 ERROR [worker-3] com.example.Shop - order=7733 user=- total=0 took 3ms
2026-11-05 10:12:02.751 INFO [main] com.example.Mail - order=7731 user=ada total=129.90 took 51ms`,
    },
  },
  {
    title: english("An access log with gaps"),
    about: english("two lines do not match: see why"),
    input: {
      ...grok,
      expression:
        '^%{IPORHOST:client} - %{NOTSPACE:user} \\[%{HTTPDATE:time}\\] "%{WORD:method} %{NOTSPACE:path} HTTP/%{NUMBER:http}" %{INT:status:int} %{INT:bytes:int}$',
      lines: `10.12.0.7 - ada [21/Nov/2025:10:00:00 +0000] "GET / HTTP/1.1" 200 5120
10.12.0.9 - - [21/Nov/2025:10:00:01 +0000] "GET /assets/app.css HTTP/1.1" 304 -
203.0.113.42 - bob [21/Nov/2025:10:00:02 +0000] "POST /api/orders HTTP/2.0" 201 348
198.51.100.9 - - [21/Nov/2025:10:00:03 +0000] "-" 400 0
web-1.example.com - - [21/Nov/2025:10:00:05 +0000] "GET /healthz HTTP/1.1" 200 2`,
    },
  },
  {
    title: english("Own patterns"),
    about: english("a pattern of the project inside another"),
    input: {
      ...grok,
      expression: "^%{CAR} on %{WORD:street}",
      patterns: `# A number plate, and a car at a speed.
PLATE [A-Z]{1,3}-[A-Z]{1,2} \\d{1,4}
CAR %{PLATE:plate} at %{NUMBER:speed:float} km/h
`,
      lines: `B-AD 1815 at 48.5 km/h on Ringstrasse
M-X 7 at 131 km/h on A9
HH-GH 1906 at ? km/h on Elbchaussee`,
    },
  },
  {
    title: english("Hide card numbers"),
    about: english("replace, with groups and a preview"),
    input: {
      ...grok,
      method: "replace",
      expression: "\\b(\\d{4})[ -]?(\\d{4})[ -]?(\\d{4})[ -]?(\\d{4})\\b",
      replacement: "$1 **** **** $4",
      lines: `payment 4111 1111 1111 1111 accepted
payment 5500-0000-0000-0004 declined, then 4012888888881881 accepted
no card in this line`,
    },
  },
];

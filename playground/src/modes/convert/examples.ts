// Example bodies that the user can open in the converter.

import type { ConverterInput } from "../../state/project.ts";
import { english } from "../../text/translate.ts";

export interface BodyExample {
  readonly title: string;
  readonly about: string;
  readonly input: ConverterInput;
}

export const bodyExamples: readonly BodyExample[] = [
  {
    title: english("Metrics"),
    about: english("line protocol: tags, kinds of values, a time"),
    input: {
      form: "auto",
      category: "metric",
      precision: "",
      body: `# One point a line: measurement, tags, fields, time.
cpu,host=web-1,zone=eu load=0.71,cores=8i,throttled=false 1763719200000000000
disk,host=web-1 used=9007199254740993i,parts=["sda1","sdb1"] 1763719200000000000
http,host=web-1,path=/api/orders requests=120u,p99=0.184 1763719200000000000
`,
    },
  },
  {
    title: english("Logs that get corrected"),
    about: english("JSON: a dot in a key, a field without a value"),
    input: {
      form: "auto",
      category: "logging",
      precision: "",
      body: `[
  {"measurement": "nginx", "tags": {"host": "web-1", "source": "access"}, "fields": {"message": "GET / 200", "http.status": 200}, "time": 1763719200},
  {"measurement": "nginx", "tags": {"host": "web-2"}, "fields": {"message": "GET /cart 500", "status": "error", "user": null}, "time": 1763719201}
]
`,
    },
  },
  {
    title: english("Two wrong lines"),
    about: english("line protocol that is refused, and where"),
    input: {
      form: "auto",
      category: "metric",
      precision: "s",
      body: `cpu,host=web-1 load=0.71 1763719200
cpu,host=web-2 load=high 1763719200
cpu,host= load=0.2 1763719201
cpu,host=web-3 load=0.44 1763719201
`,
    },
  },
  {
    title: english("A span"),
    about: english("PBJSON: types, units, a tag among the fields"),
    input: {
      form: "auto",
      category: "tracing",
      precision: "",
      body: `[
  {"name": "http.server", "fields": [
    {"key": "duration", "i": "18423", "type": "GAUGE", "unit": "us"},
    {"key": "resource", "s": "POST /api/orders"},
    {"key": "service", "s": "shop-api", "is_tag": true}
  ], "time": "1763719200000000000"}
]
`,
    },
  },
  {
    title: english("A binary body"),
    about: english("protobuf as hex: each field marked"),
    input: {
      form: "auto",
      category: "metric",
      precision: "",
      body: `0a 3c 0a 03 63 70 75 12 0f 0a 04 6c 6f 61 64 21 b8 1e 85 eb 51 b8 e6 3f 12 09 0a 05 63 6f 72 65
73 10 08 12 0f 0a 04 68 6f 73 74 40 01 5a 05 77 65 62 2d 31 18 80 80 a5 fc c8 a8 ff bc 18
`,
    },
  },
];

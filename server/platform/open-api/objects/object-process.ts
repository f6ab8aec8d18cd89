// The route that lists processes. The list is made from object points: agents send points that describe a
// process (docs/reference/open-api.md#hosts-and-processes).

import { declareList, type Route } from "../protocol/route.ts";
import { optional, text } from "../protocol/schema.ts";
import { listObjects, type ObjectKind, objectParameters } from "./object-list.ts";
import { processMembers, recordSchema } from "./object-members.ts";

const processes: ObjectKind = {
  objectClass: "host_processes",
  members: processMembers,
  searched: ["name", "process_name", "cmdline"],
  windowMs: 10 * 60_000,
  hasStatus: false,
};

const nothingKnown = Object.fromEntries(Object.keys(processMembers).map((name) => [name, null]));

export const objectProcessRoutes: readonly Route[] = [
  declareList({
    name: "listProcesses",
    method: "GET",
    path: "/object/process/list",
    group: "Objects",
    summary: "Lists processes.",
    details:
      "Each process as its newest point tells it; one without a point in the last 10 minutes, or from startTime on, is " +
      "not listed.",
    query: {
      ...objectParameters(processes, ["name", "cpu_usage", "mem_used_percent", "rss", "pid"]),
      host: optional(text({ about: "only processes of the host with exactly this name" })),
    },
    answer: recordSchema(processes.objectClass, processMembers, {
      __docid: text({ about: "identifier of the process, equal to uuid" }),
    }),
    examples: [
      {
        title: "The processes of a host that use most memory",
        query: { host: "web-01", orderBy: "-rss", pageSize: "5" },
        content: [
          {
            ...nothingKnown,
            __docid: "object_0a6e3c51d7f84b92a4e1c5d6b7f80923",
            class: "host_processes",
            cmdline: "nginx: worker process",
            cpu_usage: 1.25,
            create_time: 1_699_999_000_000,
            fields: {},
            host: "web-01",
            labels: [],
            last_update_time: 1_700_000_000_000,
            mem_used_percent: 0.8,
            name: "web-01_8211",
            pid: 8211,
            process_name: "nginx",
            rss: 33_554_432,
            start_time: 1_699_998_000_000,
            state: "S",
            state_zombie: false,
            tags: {},
            threads: 4,
            username: "www-data",
            uuid: "object_0a6e3c51d7f84b92a4e1c5d6b7f80923",
          },
        ],
        totalCount: 1,
      },
    ],
    handle: (call) => {
      const { host } = call.query;
      return listObjects(processes, call, host === undefined ? [] : [{ keys: ["host"], anyOf: [host] }]);
    },
  }),
];

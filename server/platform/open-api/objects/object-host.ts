// The route that lists hosts. The list is made from object points: agents send points that describe a host
// (docs/reference/open-api.md#hosts-and-processes).

import { declareList, type Route } from "../protocol/route.ts";
import { text } from "../protocol/schema.ts";
import { listObjects, type ObjectKind, objectParameters } from "./object-list.ts";
import { hostMembers, recordSchema } from "./object-members.ts";

const hosts: ObjectKind = {
  objectClass: "HOST",
  members: hostMembers,
  searched: ["name", "host"],
  windowMs: 24 * 3_600_000,
  hasStatus: true,
};

const nothingKnown = Object.fromEntries(Object.keys(hostMembers).map((name) => [name, null]));

export const objectHostRoutes: readonly Route[] = [
  declareList({
    name: "listHosts",
    method: "GET",
    path: "/object/host/list",
    plural: ["host"],
    group: "Objects",
    summary: "Lists hosts.",
    details:
      "Each host as its newest point tells it; one without a point in the last 24 hours, or from startTime on, is not " +
      "listed. The query `O::HOST:(name)` over the same time names the same hosts.",
    query: objectParameters(hosts, ["name", "cpu_usage", "mem_used_percent", "load", "last_update_time"]),
    answer: recordSchema(hosts.objectClass, hostMembers, {
      __docid: text({ about: "identifier of the host, equal to uuid" }),
      status: text({ oneOf: ["online", "offline"], about: "online: a point was received in the last 10 minutes" }),
    }),
    examples: [
      {
        title: "Hosts with Linux, the busiest first",
        query: { filter: '{"os":"linux"}', orderBy: "-cpu_usage", pageSize: "10" },
        content: [
          {
            ...nothingKnown,
            __docid: "object_5c9f1b7de02a4a35b1c8a7d3e6f90412",
            arch: "x86_64",
            class: "HOST",
            cpu_usage: 12.5,
            create_time: 1_699_990_000_000,
            disk_total: 106_285_760_512,
            disk_used_percent: 41.2,
            fields: {},
            host: "web-01",
            labels: ["prod"],
            last_update_time: 1_700_000_000_000,
            load: 0.42,
            mem_used_percent: 63.1,
            message: '{"host":{"meta":{"host_name":"web-01"}}}',
            name: "web-01",
            num_cpu: 4,
            os: "linux",
            status: "online",
            tags: { env: "prod" },
            uuid: "object_5c9f1b7de02a4a35b1c8a7d3e6f90412",
          },
        ],
        totalCount: 1,
      },
    ],
    handle: (call) => listObjects(hosts, call),
  }),
];

// Example requests and answers of the dashboard routes, for the OpenAPI document.

import type { Example } from "../protocol/route.ts";
import type { JsonObject } from "../protocol/schema.ts";

const uuid = "dsbd_541083cc19ec4d27ad597839a0477a97";
const chartUUID = "chrt_1cbd0a6e52d348f3a2b1d9c07a4e8f15";
const key = "wsak_9a3f0c5d7e8b4a1296c3f8e7d6b5a401";
const web = { id: "tag_07c2e5a91f3b4d68b0a1c2d3e4f50617", name: "web" };
const ids = { dashboard: uuid };
const author = { email: "", iconUrl: "", name: "ci key", username: `AK(${key})` };

const record = {
  chartGroupPos: [],
  chartPos: [{ chartUUID, pos: { h: 11, i: chartUUID, w: 11, x: 0, y: 0 } }],
  createAt: 1700000000,
  createdWay: "manual",
  creator: key,
  creatorInfo: author,
  dashboardBindSet: [],
  deleteAt: -1,
  desc: "",
  extend: {},
  iconSet: {},
  id: 12,
  identifier: "",
  isPublic: 1,
  mapping: [],
  name: "API latency",
  ownerType: "node",
  permissionSet: [],
  readPermissionSet: [],
  status: 0,
  tagInfo: [web],
  type: "CUSTOM",
  updateAt: 1700000100,
  updator: key,
  updatorInfo: author,
  uuid,
  workspaceUUID: "wksp_c4a1b2c3d4e5f60718293a4b5c6d7e8f",
} satisfies JsonObject;

const sceneTags = { sceneInfo: [], tagInfo: [web] };

const chart = {
  name: "latency",
  type: "sequence",
  pos: { h: 11, i: chartUUID, w: 11, x: 0, y: 0 },
  group: { name: null },
  queries: [{ qtype: "dql", query: { q: "L::nginx:(avg(request_time)) [1h::1m]" } }],
  extend: {},
};

const template = {
  title: "API latency",
  summary: "",
  dashboardType: "CUSTOM",
  dashboardOwnerType: "node",
  dashboardExtend: {},
  dashboardMapping: [],
  dashboardBindSet: [],
  iconSet: {},
  icon: "",
  thumbnail: "",
  tags: [],
  tagInfo: [web],
  main: { type: "template", groups: [], vars: [], charts: [chart] },
} satisfies JsonObject;

export const list: readonly Example[] = [
  {
    title: "Those with a tag",
    query: { search: "latency", tagNames: '["web"]', pageIndex: "1", pageSize: "10" },
    content: [{ ...record, isFavorite: false, tag_info: sceneTags }],
    totalCount: 1,
  },
];

export const create: readonly Example[] = [
  {
    title: "An empty one",
    body: { name: "API latency", tagNames: ["web"] },
    content: { ...record, chartPos: [], updateAt: 1700000000, tag_info: [web] },
  },
  {
    title: "From a template",
    body: {
      name: "API latency",
      tagNames: ["web"],
      templateInfo: {
        title: "any",
        main: {
          type: "template",
          groups: [],
          vars: [],
          charts: [
            {
              name: "latency",
              type: "sequence",
              pos: null,
              group: { name: null },
              queries: [{ qtype: "dql", query: { q: "L::nginx:(avg(request_time)) [1h::1m]" } }],
            },
          ],
        },
      },
    },
    content: {
      ...record,
      chartPos: [{ chartUUID, pos: { h: 9, i: chartUUID, w: 8, x: 0, y: 0 } }],
      updateAt: 1700000000,
      tag_info: [web],
    },
  },
];

export const get: readonly Example[] = [
  { title: "Without its charts", ids, content: { ...record, tag_info: { [uuid]: [web] } } },
  {
    title: "With its charts",
    ids,
    query: { withCharts: "true" },
    content: { ...record, charts: [{ ...chart, uuid: chartUUID }], tag_info: { [uuid]: [web] }, vars: [] },
  },
];

export const modify: readonly Example[] = [
  {
    title: "Another name",
    ids,
    body: { name: "API latency, p99" },
    content: {
      ...record,
      dashboardBidding: {},
      name: "API latency, p99",
      old_name: "API latency",
      tag_info: sceneTags,
    },
  },
];

export const remove: readonly Example[] = [{ title: "With its charts", ids, content: { [uuid]: "API latency" } }];

export const exported: readonly Example[] = [{ title: "With one chart", ids, content: template }];

export const imported: readonly Example[] = [
  {
    title: "What another workspace exported",
    ids,
    body: { templateInfo: template },
    content: { ...record, createdWay: "import", tag_info: [web] },
  },
];

export const copied: readonly Example[] = [
  {
    title: "Under another name",
    ids,
    body: { name: "API latency, staging" },
    content: {
      ...record,
      name: "API latency, staging",
      uuid: "dsbd_0f1e2d3c4b5a69788796a5b4c3d2e1f0",
      tag_info: [web],
    },
  },
];

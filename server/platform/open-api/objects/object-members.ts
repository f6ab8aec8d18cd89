// Lists the members that hosts and processes have in answers, and for each member the tags and fields of points
// from which its value is read (docs/reference/open-api.md#hosts-and-processes).

import type { DqlValue } from "../../../../lib/dql/index.ts";
import {
  anyObject,
  bool,
  integer,
  list,
  type Members,
  mapOf,
  nullable,
  number,
  object,
  type Schema,
  text,
} from "../protocol/schema.ts";

export interface ObjectMember {
  readonly kind: "text" | "int" | "float" | "bool";
  readonly about: string;
  /**
   * Matches the keys of the tags and fields from which the value of this member is read. When absent, only the tag
   * or field with the name of the member is read.
   */
  readonly keys?: RegExp;
}

export type ObjectMembers = Readonly<Record<string, ObjectMember>>;

const of =
  (kind: ObjectMember["kind"]) =>
  (about = "", keys?: RegExp): ObjectMember => ({ kind, about, ...(keys === undefined ? {} : { keys }) });
const [textual, int, float, flag] = [of("text"), of("int"), of("float"), of("bool")];

export const hostMembers: ObjectMembers = {
  agent_ver: textual("version of the agent that reports the host", /^[a-z]+_ver$/),
  arch: textual("processor architecture, such as x86_64"),
  cloud_provider: textual(),
  cpu_usage: float("CPU usage in percent"),
  description: textual(),
  disk_total: int("total size of the disks in bytes"),
  disk_used_percent: float("used share of the disks in percent"),
  diskio_read_bytes_per_sec: int(),
  diskio_write_bytes_per_sec: int(),
  host: textual(),
  instance_charge_type: textual(),
  instance_id: textual(),
  instance_name: textual(),
  instance_network_type: textual(),
  instance_status: textual(),
  instance_type: textual(),
  is_docker: int("1: the agent runs in a container, else 0"),
  load: float("system load, such as 0.42"),
  logging_level: textual("log level of the agent"),
  mem_used_percent: float("memory usage in percent"),
  message: textual("all known data of the host, as JSON"),
  net_recv_bytes_per_sec: int(),
  net_send_bytes_per_sec: int(),
  num_cpu: int(),
  os: textual("operating system, such as linux"),
  private_ip: textual(),
  region: textual(),
  security_group_id: textual(),
  start_time: int("time at which the host was started, in ms since 1970"),
  unicast_ip: textual(),
  zone_id: textual(),
};

export const processMembers: ObjectMembers = {
  cmdline: textual(),
  container_id: textual(),
  cpu_usage: float("CPU usage since the process was started, in percent"),
  cpu_usage_top: float("CPU usage between the last two reports, in percent"),
  host: textual(),
  listen_ports: textual("ports on which the process listens, as a JSON list"),
  mem_used_percent: float("memory usage in percent"),
  message: textual(),
  nonvoluntary_ctxt_switches: int(),
  open_files: int(),
  page_children_major_faults: int(),
  page_children_minor_faults: int(),
  page_major_faults: int(),
  page_minor_faults: int(),
  pid: int(),
  proc_read_bytes: int(),
  proc_syscr: int(),
  proc_syscw: int(),
  proc_write_bytes: int(),
  process_name: textual(),
  rss: int("resident memory in bytes"),
  start_time: int("time at which the process was started, in ms since 1970"),
  started_duration: int("seconds since the process was started"),
  state: textual("state of the process, as Linux reports it"),
  state_zombie: flag(),
  threads: int(),
  username: textual(),
  vms: int("virtual memory in bytes"),
  voluntary_ctxt_switches: int(),
  work_directory: textual(),
};

function schemaOf({ kind, about: given }: ObjectMember): Schema<unknown> {
  const about = given === "" ? {} : { about: given };
  switch (kind) {
    case "text":
      return nullable(text({ min: 0, ...about }));
    case "int":
      return nullable(integer(about));
    case "float":
      return nullable(number(about));
    case "bool":
      return nullable(bool(about));
  }
}

/** Returns the schema of a row in the list. `more`: the schemas of members that are not read from points. */
export function recordSchema(objectClass: string, members: ObjectMembers, more: Members = {}) {
  const all: Members = {
    ...Object.fromEntries(Object.entries(members).map(([name, member]) => [name, schemaOf(member)])),
    ...more,
    class: text({ oneOf: [objectClass] }),
    create_time: integer({ about: "time of the object's first point, ms since 1970" }),
    fields: anyObject({ about: "fields of the object that are not returned as separate members" }),
    labels: list(text({ min: 0 })),
    last_update_time: integer({ about: "time of the object's newest point, ms since 1970" }),
    name: text(),
    tags: mapOf(text({ min: 0 }), { about: "tags of the object that are not returned as separate members" }),
    uuid: text({ about: "identifier: object_ and 32 hexadecimal digits, computed from workspace and name" }),
  };
  return object(Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1))));
}

/**
 * Returns the value of a member. Returns null when the value in the point has a different type from the member;
 * this value is still returned among the object's tags or fields.
 */
export function memberValue({ kind }: ObjectMember, value: DqlValue): DqlValue {
  switch (kind) {
    case "text":
      return typeof value === "string" ? value : null;
    case "int":
      return typeof value === "bigint" || Number.isInteger(value) ? value : null;
    case "float":
      return typeof value === "bigint" || typeof value === "number" ? value : null;
    case "bool":
      return typeof value === "boolean" ? value : null;
  }
}

// `millrace key create | ls | revoke`: manages API keys of the platform. The platform may run at the same time.

import { parseArgs } from "node:util";
import { inMemory, openMetadata } from "../platform/metadata/database.ts";
import { newToken, pointsIdOf } from "../platform/metadata/ids.ts";
import { type KeyScope, keyStatus } from "../platform/metadata/keys.ts";
import type { Metadata } from "../platform/metadata/metadata.ts";
import type { WorkspaceRow } from "../platform/metadata/tables.ts";
import { roles as knownRoles, usualRoles } from "../platform/open-api/access/authenticate.ts";
import { platformFolder } from "../platform/start.ts";
import { readLocalToken } from "../platform/workspaces.ts";
import { readConfig } from "./read-config.ts";
import { print, printLine } from "./terminal/print.ts";
import { tableText } from "./terminal/table.ts";
import { keyUsage } from "./usage/tools.ts";
import { UsageError } from "./usage-error.ts";

export async function key(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      workspace: { type: "string" },
      name: { type: "string", default: "key" },
      role: { type: "string", multiple: true, default: [...usualRoles] },
      "data-dir": { type: "string" },
      config: { type: "string" },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help) {
    print(keyUsage);
    return 0;
  }
  const [verb, uuid, ...more] = positionals;
  if (more.length > 0 || (uuid !== undefined) !== (verb === "revoke")) throw new UsageError(keyUsage);
  const unknown = values.role.find((role) => !(knownRoles as readonly string[]).includes(role));
  if (unknown !== undefined) throw new UsageError(`unknown role ${unknown}; one of ${knownRoles.join(", ")}`);
  const { config } = readConfig({
    ...(values.config === undefined ? {} : { file: values.config }),
    flags: values["data-dir"] === undefined ? {} : { data_dir: values["data-dir"] },
  });
  if (config["store.url"] === inMemory) {
    throw new UsageError(
      "store.url is memory: no other process reaches its keys; give them with millrace platform --seed",
    );
  }
  const folder = platformFolder(config);
  const work = workOf(verb, folder, values, uuid);
  const metadata = await openMetadata({ url: config["store.url"], folder });
  try {
    return await work(metadata);
  } finally {
    await metadata.close();
  }
}

interface Wanted {
  readonly workspace?: string;
  readonly name: string;
  readonly role: readonly string[];
}

type Work = (metadata: Metadata) => Promise<number>;

function workOf(verb: string | undefined, folder: string, { workspace, name, role }: Wanted, uuid = ""): Work {
  switch (verb) {
    case "create":
      if (workspace === undefined || workspace === "") throw new UsageError("name the workspace: --workspace NAME");
      return (metadata) => create(metadata, folder, workspace, name, [...new Set(role)]);
    case "ls":
      return (metadata) => list(metadata, workspace);
    case "revoke":
      return (metadata) => revoke(metadata, uuid);
    default:
      throw new UsageError(keyUsage);
  }
}

function scopeOf({ uuid }: WorkspaceRow): KeyScope {
  const here = "command line";
  return { workspace: uuid, actor: { uuid: here, name: here, roles: [] }, traceId: "" };
}

async function create(
  metadata: Metadata,
  folder: string,
  workspaceName: string,
  name: string,
  roles: readonly string[],
): Promise<number> {
  const workspace =
    (await metadata.workspaces.byName(workspaceName)) ?? (await newWorkspace(metadata, folder, workspaceName));
  const { row, secret } = await metadata.keys.create(scopeOf(workspace), { name, roles });
  printLine(`key        ${row.uuid}, ${roles.join(", ")}, of the workspace ${workspace.name} (${workspace.uuid})`);
  printLine("This is shown once:");
  printLine(secret);
  return 0;
}

/**
 * Creates a workspace. The first workspace gets the points of this machine; any other workspace gets a token of its
 * own.
 */
async function newWorkspace(metadata: Metadata, folder: string, name: string): Promise<WorkspaceRow> {
  const local = await metadata.workspaces.create(name, pointsIdOf(readLocalToken(folder)));
  if (local !== undefined) {
    printLine("workspace  made now; it has the points of this machine");
    return local;
  }
  const first = await metadata.workspaces.byPoints(pointsIdOf(readLocalToken(folder)));
  const token = newToken();
  const own = await metadata.workspaces.create(name, pointsIdOf(token));
  if (own !== undefined) {
    printLine(`workspace  made now; agents write to it with the token ${token}, which is shown this once`);
    if (first !== undefined)
      printLine(`           the points of this machine are those of the workspace ${first.name}`);
    return own;
  }
  // Another command has created the workspace at the same time, so that workspace is used.
  return (await metadata.workspaces.byName(name))!;
}

async function list(metadata: Metadata, only: string | undefined): Promise<number> {
  const rows = [["KEY", "WORKSPACE", "NAME", "ROLES", "MADE", "STATE"]];
  const workspaces = await metadata.workspaces.all();
  if (only !== undefined && !workspaces.some(({ name }) => name === only)) {
    throw new UsageError(`there is no workspace ${only}`);
  }
  for (const { uuid, name: workspace } of workspaces) {
    if (only !== undefined && workspace !== only) continue;
    for (const { uuid: keyUuid, name, roles, create_at: made, status } of await metadata.keys.list(uuid)) {
      const names = (JSON.parse(roles) as string[]).join(",");
      const state = status === keyStatus.inUse ? "in use" : "disabled";
      rows.push([keyUuid, workspace, name, names, new Date(made * 1000).toISOString(), state]);
    }
  }
  print(`${tableText(rows).join("\n")}\n`);
  return 0;
}

async function revoke(metadata: Metadata, uuid: string): Promise<number> {
  for (const workspace of await metadata.workspaces.all()) {
    const revoked = await metadata.keys.revoke(scopeOf(workspace), uuid);
    if (revoked === undefined) continue;
    printLine(`${uuid} (${revoked.name}) of the workspace ${workspace.name} opens nothing any more`);
    return 0;
  }
  throw new UsageError(`there is no key ${uuid}; millrace key ls lists them`);
}

// The operations of the Open API and their types, written by `npm run docs` from the declarations of the routes.
// biome-ignore-all format: written by a program

import type { Json, JsonObject, Listed, Operation } from "./wire.ts";

export interface OpenApiClient {
  /** Tells whether the key can be used. */
  validateKey(): Promise<boolean>;
  /** Lists the API keys of the workspace; what was made last comes first. */
  listAccessKeys(asked?: { readonly query?: ListAccessKeysQuery }): Promise<Listed<readonly ListAccessKeysRow[]>>;
  /** Makes an API key. */
  addAccessKey(asked: { readonly headers?: { readonly "Idempotency-Key"?: string }; readonly body: AddAccessKeyBody }): Promise<ListAccessKeysRow>;
  /** Gets an API key, without its secret. */
  getAccessKey(asked: { readonly ids: { readonly key: string } }): Promise<ListAccessKeysRow>;
  /** Deletes an API key: from then on it opens nothing. */
  deleteAccessKey(asked: { readonly ids: { readonly key: string }; readonly headers?: { readonly "Idempotency-Key"?: string } }): Promise<{ readonly [name: string]: string }>;
  /** Gets the workspace of the key. */
  getWorkspace(): Promise<GetWorkspaceAnswer>;
  /** Changes name or description of the workspace of the key. */
  modifyWorkspace(asked?: { readonly headers?: { readonly "Idempotency-Key"?: string }; readonly body?: ModifyWorkspaceBody }): Promise<GetWorkspaceAnswer>;
  /** Makes a workspace, with a first API key. */
  createWorkspace(asked: { readonly headers?: { readonly "Idempotency-Key"?: string }; readonly body: CreateWorkspaceBody }): Promise<CreateWorkspaceAnswer>;
  /** Lists those who act in the workspace. */
  listMembers(asked?: { readonly query?: ListAccessKeysQuery }): Promise<Listed<readonly ListMembersRow[]>>;
  /** Lists dashboards; what was changed last comes first. */
  listDashboards(asked?: { readonly query?: ListDashboardsQuery }): Promise<Listed<readonly ListDashboardsRow[]>>;
  /** Makes a dashboard, an empty one or one from a template. */
  createDashboard(asked: { readonly headers?: { readonly "Idempotency-Key"?: string }; readonly body: CreateDashboardBody }): Promise<CreateDashboardAnswer>;
  /** Gets a dashboard. */
  getDashboard(asked: { readonly ids: { readonly dashboard: string }; readonly query?: GetDashboardQuery }): Promise<GetDashboardAnswer>;
  /** Changes the members that the body has. */
  modifyDashboard(asked: { readonly ids: { readonly dashboard: string }; readonly headers?: { readonly "If-Match"?: string; readonly "Idempotency-Key"?: string }; readonly body?: ModifyDashboardBody }): Promise<ModifyDashboardAnswer>;
  /** Deletes a dashboard with its charts and variables. */
  deleteDashboard(asked: { readonly ids: { readonly dashboard: string }; readonly headers?: { readonly "Idempotency-Key"?: string } }): Promise<{ readonly [name: string]: string }>;
  /** Gives a dashboard as a template. */
  exportDashboard(asked: { readonly ids: { readonly dashboard: string } }): Promise<JsonObject>;
  /** Replaces the content of a dashboard by a template's. */
  importDashboard(asked: { readonly ids: { readonly dashboard: string }; readonly headers?: { readonly "Idempotency-Key"?: string }; readonly body: ImportDashboardBody }): Promise<CreateDashboardAnswer>;
  /** Makes a dashboard with the content of another. */
  copyDashboard(asked: { readonly ids: { readonly dashboard: string }; readonly headers?: { readonly "Idempotency-Key"?: string }; readonly body?: CopyDashboardBody }): Promise<CreateDashboardAnswer>;
  /** Lists hosts. */
  listHosts(asked?: { readonly query?: ListHostsQuery }): Promise<Listed<readonly ListHostsRow[]>>;
  /** Lists processes. */
  listProcesses(asked?: { readonly query?: ListProcessesQuery }): Promise<Listed<readonly ListProcessesRow[]>>;
  /** Answers questions in DQL. */
  queryData(asked: { readonly body: QueryDataBody }): Promise<QueryDataAnswer>;
  /** Lists pipelines; what was changed last comes first. */
  listPipelines(asked?: { readonly query?: ListPipelinesQuery }): Promise<Listed<{ readonly data: readonly ListPipelinesRow[] }>>;
  /** Makes a pipeline. */
  addPipeline(asked: { readonly headers?: { readonly "Idempotency-Key"?: string }; readonly body: AddPipelineBody }): Promise<ListPipelinesRow>;
  /** Gets a pipeline. */
  getPipeline(asked: { readonly ids: { readonly pipeline: string } }): Promise<ListPipelinesRow>;
  /** Changes a pipeline. */
  modifyPipeline(asked: { readonly ids: { readonly pipeline: string }; readonly headers?: { readonly "Idempotency-Key"?: string }; readonly body?: ModifyPipelineBody }): Promise<ListPipelinesRow>;
  /** Deletes pipelines: all that are named, or none when one of them is not found. */
  deletePipelines(asked: { readonly headers?: { readonly "Idempotency-Key"?: string }; readonly body: DeletePipelinesBody }): Promise<{ readonly [name: string]: string }>;
  /** Disables pipelines, or enables them: all that are named, or none when one of them is not found. */
  disablePipelines(asked: { readonly headers?: { readonly "Idempotency-Key"?: string }; readonly body: DisablePipelinesBody }): Promise<{ readonly [name: string]: 0 | 2 }>;
  /** Exports pipelines, all or those that are named. */
  exportPipelines(asked?: { readonly query?: ExportPipelinesQuery }): Promise<ExportPipelinesAnswer>;
  /** Exports pipelines, all or those that are named in the body. */
  exportChosenPipelines(asked?: { readonly body?: ExportChosenPipelinesBody }): Promise<ExportPipelinesAnswer>;
  /** Imports what was exported: a pipeline with the same category and name is replaced. */
  importPipelines(asked: { readonly headers?: { readonly "Idempotency-Key"?: string }; readonly body: ImportPipelinesBody }): Promise<ImportPipelinesAnswer>;
  /** Lists blacklists; what was changed last comes first. */
  listBlacklists(asked?: { readonly query?: ListBlacklistsQuery }): Promise<Listed<readonly ListBlacklistsRow[]>>;
  /** Makes a blacklist. */
  addBlacklist(asked: { readonly headers?: { readonly "Idempotency-Key"?: string }; readonly body: AddBlacklistBody }): Promise<ListBlacklistsRow>;
  /** Gets a blacklist. */
  getBlacklist(asked: { readonly ids: { readonly blacklist: string } }): Promise<ListBlacklistsRow>;
  /** Changes a blacklist; members that are absent stay as they are. */
  modifyBlacklist(asked: { readonly ids: { readonly blacklist: string }; readonly headers?: { readonly "Idempotency-Key"?: string }; readonly body?: ModifyBlacklistBody }): Promise<ListBlacklistsRow>;
  /** Deletes blacklists: all that are named, or none when one of them is not found. */
  deleteBlacklists(asked: { readonly headers?: { readonly "Idempotency-Key"?: string }; readonly body: DeleteBlacklistsBody }): Promise<{ readonly [name: string]: string }>;
  /** Exports blacklists, all or those that are named. */
  exportBlacklists(asked?: { readonly body?: ExportBlacklistsBody }): Promise<ExportBlacklistsAnswer>;
  /** Imports what was exported, beside what is there. */
  importBlacklists(asked: { readonly headers?: { readonly "Idempotency-Key"?: string }; readonly body: ExportBlacklistsAnswer }): Promise<ImportBlacklistsAnswer>;
  /** Lists the sessions that have replays; the session with the newest part comes first. */
  listReplays(asked?: { readonly query?: ListReplaysQuery }): Promise<Listed<readonly ListReplaysRow[]>>;
  /** Lists the parts of a session's replay, in the order in which they came. */
  listReplayParts(asked: { readonly ids: { readonly session: string }; readonly query?: ListReplaysQuery }): Promise<Listed<readonly ListReplayPartsRow[]>>;
  /** Fetches a part of a session's replay. */
  getReplayPart(asked: { readonly ids: { readonly session: string }; readonly query?: GetReplayPartQuery }): Promise<GetReplayPartAnswer>;
  /** Lists changes of the workspace; the last comes first. */
  listChanges(asked?: { readonly query?: ListChangesQuery }): Promise<Listed<readonly ListChangesRow[]>>;
}

export type ListAccessKeysQuery = {
  /** part of the name, in upper or lower case; empty = all */
  readonly search?: string;
  /** page, from 1 */
  readonly pageIndex?: number;
  /** rows of a page */
  readonly pageSize?: number;
};

export type ListAccessKeysRow = {
  /** seconds since 1970 */
  readonly createAt: number;
  /** the key that made it, `command line` or `seed` */
  readonly creator: string;
  readonly creatorInfo: {
    readonly email: string;
    readonly iconUrl: string;
    readonly name: string;
    readonly username: string;
  };
  /** -1 while it is there */
  readonly deleteAt: number;
  /** number of the row */
  readonly id: number;
  readonly name: string;
  readonly remark: string;
  /** what it may do: what any of these roles may */
  readonly roleUUIDs: readonly string[];
  /** the secret, where the key was just made; else empty: it is not kept */
  readonly sk: string;
  /** 0 in use, 2 disabled */
  readonly status: 0 | 2;
  /** seconds since 1970 */
  readonly updateAt: number;
  /** wsak_ and 32 hexadecimal digits */
  readonly uuid: string;
  /** its workspace */
  readonly workspaceUUID: string;
};

export type AddAccessKeyBody = {
  readonly name: string;
  readonly remark?: string;
  /** at least one */
  readonly roleUUIDs?: readonly ("wsAdmin" | "general" | "readOnly")[];
};

export type GetWorkspaceAnswer = {
  /** seconds since 1970 */
  readonly createAt: number;
  readonly desc: string;
  /** number of the row */
  readonly id: number;
  /** those who act in it: its API keys */
  readonly memberCount: number;
  /** no other workspace has it */
  readonly name: string;
  readonly status: 0;
  /** wksp_ and 32 hexadecimal digits */
  readonly uuid: string;
  /** no plan limits it */
  readonly versionType: "unlimited";
};

export type ModifyWorkspaceBody = {
  readonly name?: string;
  readonly desc?: string;
};

export type CreateWorkspaceBody = {
  readonly name: string;
  readonly desc?: string;
};

export type CreateWorkspaceAnswer = {
  /** seconds since 1970 */
  readonly createAt: number;
  readonly desc: string;
  /** number of the row */
  readonly id: number;
  /** those who act in it: its API keys */
  readonly memberCount: number;
  /** no other workspace has it */
  readonly name: string;
  readonly status: 0;
  /** wksp_ and 32 hexadecimal digits */
  readonly uuid: string;
  /** no plan limits it */
  readonly versionType: "unlimited";
  readonly accessKey: {
    /** seconds since 1970 */
    readonly createAt: number;
    /** the key that made it, `command line` or `seed` */
    readonly creator: string;
    readonly creatorInfo: {
      readonly email: string;
      readonly iconUrl: string;
      readonly name: string;
      readonly username: string;
    };
    /** -1 while it is there */
    readonly deleteAt: number;
    /** number of the row */
    readonly id: number;
    readonly name: string;
    readonly remark: string;
    /** what it may do: what any of these roles may */
    readonly roleUUIDs: readonly string[];
    /** the secret, where the key was just made; else empty: it is not kept */
    readonly sk: string;
    /** 0 in use, 2 disabled */
    readonly status: 0 | 2;
    /** seconds since 1970 */
    readonly updateAt: number;
    /** wsak_ and 32 hexadecimal digits */
    readonly uuid: string;
    /** its workspace */
    readonly workspaceUUID: string;
  };
  /** with it agents write to the workspace; told this once */
  readonly token: string;
};

export type ListMembersRow = {
  /** seconds since 1970 */
  readonly createAt: number;
  readonly email: string;
  readonly iconUrl: string;
  readonly name: string;
  readonly roles: readonly {
    readonly name: string;
    readonly uuid: string;
  }[];
  /** 0 in use, 2 disabled */
  readonly status: 0 | 2;
  /** seconds since 1970 */
  readonly updateAt: number;
  readonly username: string;
  /** its identifier as creator and updator of objects */
  readonly uuid: string;
};

export type ListDashboardsQuery = {
  /** part of the name, in upper or lower case; empty = all */
  readonly search?: string;
  /** those with any of these tags, separated by commas, or as JSON; [] = all */
  readonly tagNames?: readonly string[];
  /** page, from 1 */
  readonly pageIndex?: number;
  /** rows of a page */
  readonly pageSize?: number;
  readonly type?: "CUSTOM";
};

export type ListDashboardsRow = {
  /** identifiers of the groups of charts, in their order */
  readonly chartGroupPos: readonly string[];
  /** where each chart stands, in the order of the charts */
  readonly chartPos: readonly ({
    readonly chartUUID: string;
    readonly pos: {
      readonly i?: string | number | null;
      readonly h?: number | null;
      readonly w?: number | null;
      readonly x?: number | null;
      readonly y?: number | null;
    };
  })[];
  /** seconds since 1970 */
  readonly createAt: number;
  /** import: its content was replaced by an import */
  readonly createdWay: "manual" | "import";
  /** the key that made it */
  readonly creator: string;
  readonly creatorInfo: {
    readonly email: string;
    readonly iconUrl: string;
    readonly name: string;
    readonly username: string;
  };
  readonly dashboardBindSet: readonly JsonObject[];
  /** -1 while it is there */
  readonly deleteAt: number;
  readonly desc: string;
  /** free for the client */
  readonly extend: JsonObject;
  /** {} or {icon, url} */
  readonly iconSet: JsonObject;
  /** number of the row */
  readonly id: number;
  readonly identifier: string;
  /** 1 public, 0 private, -1 by permissionSet and readPermissionSet */
  readonly isPublic: 1 | 0 | -1;
  /** how fields of variables are mapped */
  readonly mapping: readonly JsonObject[];
  readonly name: string;
  readonly ownerType: "node";
  /** who may change it: roles, accounts, teams */
  readonly permissionSet: readonly string[];
  /** who may see it */
  readonly readPermissionSet: readonly string[];
  /** 0 normal */
  readonly status: 0;
  /** its tags */
  readonly tagInfo: readonly {
    readonly id: string;
    readonly name: string;
  }[];
  readonly type: "CUSTOM";
  /** seconds since 1970 */
  readonly updateAt: number;
  /** the key that changed it last */
  readonly updator: string;
  readonly updatorInfo: {
    readonly email: string;
    readonly iconUrl: string;
    readonly name: string;
    readonly username: string;
  };
  /** dsbd_ and 32 characters */
  readonly uuid: string;
  /** its workspace */
  readonly workspaceUUID: string;
  readonly isFavorite: boolean;
  readonly tag_info: {
    readonly sceneInfo: readonly JsonObject[];
    readonly tagInfo: readonly {
      readonly id: string;
      readonly name: string;
    }[];
  };
};

export type CreateDashboardBody = {
  readonly name: string;
  readonly desc?: string;
  readonly identifier?: string;
  /** free for the client */
  readonly extend?: JsonObject;
  /** how fields of variables are mapped */
  readonly mapping?: readonly JsonObject[];
  /** its tags; those that are new are made */
  readonly tagNames?: readonly string[];
  /** a dashboard's content, as export gives it */
  readonly templateInfo?: {
    readonly title?: string;
    readonly summary?: string;
    readonly dashboardType?: string;
    readonly dashboardOwnerType?: string;
    readonly dashboardExtend?: JsonObject;
    readonly dashboardMapping?: readonly JsonObject[];
    readonly dashboardBindSet?: readonly Json[];
    /** icon and url */
    readonly iconSet?: JsonObject;
    readonly icon?: string;
    readonly thumbnail?: string;
    readonly tags?: readonly Json[];
    readonly tagInfo?: readonly {
      readonly id?: string;
      readonly name: string;
    }[];
    readonly main?: {
      readonly type?: string;
      readonly groups?: readonly (string | {
        readonly name: string;
        readonly extend?: JsonObject;
      })[];
      readonly vars?: readonly {
        /** unique among the variables */
        readonly code?: string;
      }[];
      readonly charts?: readonly ({
        /** title */
        readonly name: string;
        /** sequence, toplist, singlestat, pie, table, text, gauge, log, ... */
        readonly type: string;
        readonly pos?: {
          readonly i?: string | number | null;
          readonly h?: number | null;
          readonly w?: number | null;
          readonly x?: number | null;
          readonly y?: number | null;
        } | null;
        readonly group?: {
          readonly name?: string | null;
        } | null;
        /** may be empty */
        readonly queries: readonly {
          /** the language of the query, such as dql */
          readonly qtype?: string;
          /** q is the text of the query */
          readonly query?: JsonObject;
        }[];
        /** settings: chartType, colors, units, ... */
        readonly extend?: JsonObject;
      })[];
    };
  };
  /** its identifier; generated without it */
  readonly specifyDashboardUUID?: string;
  /** 1 public, 0 private, -1 by the two sets */
  readonly isPublic?: 1 | 0 | -1;
  /** who may change it */
  readonly permissionSet?: readonly string[];
  /** who may see it */
  readonly readPermissionSet?: readonly string[];
};

export type CreateDashboardAnswer = {
  /** identifiers of the groups of charts, in their order */
  readonly chartGroupPos: readonly string[];
  /** where each chart stands, in the order of the charts */
  readonly chartPos: readonly ({
    readonly chartUUID: string;
    readonly pos: {
      readonly i?: string | number | null;
      readonly h?: number | null;
      readonly w?: number | null;
      readonly x?: number | null;
      readonly y?: number | null;
    };
  })[];
  /** seconds since 1970 */
  readonly createAt: number;
  /** import: its content was replaced by an import */
  readonly createdWay: "manual" | "import";
  /** the key that made it */
  readonly creator: string;
  readonly creatorInfo: {
    readonly email: string;
    readonly iconUrl: string;
    readonly name: string;
    readonly username: string;
  };
  readonly dashboardBindSet: readonly JsonObject[];
  /** -1 while it is there */
  readonly deleteAt: number;
  readonly desc: string;
  /** free for the client */
  readonly extend: JsonObject;
  /** {} or {icon, url} */
  readonly iconSet: JsonObject;
  /** number of the row */
  readonly id: number;
  readonly identifier: string;
  /** 1 public, 0 private, -1 by permissionSet and readPermissionSet */
  readonly isPublic: 1 | 0 | -1;
  /** how fields of variables are mapped */
  readonly mapping: readonly JsonObject[];
  readonly name: string;
  readonly ownerType: "node";
  /** who may change it: roles, accounts, teams */
  readonly permissionSet: readonly string[];
  /** who may see it */
  readonly readPermissionSet: readonly string[];
  /** 0 normal */
  readonly status: 0;
  /** its tags */
  readonly tagInfo: readonly {
    readonly id: string;
    readonly name: string;
  }[];
  readonly type: "CUSTOM";
  /** seconds since 1970 */
  readonly updateAt: number;
  /** the key that changed it last */
  readonly updator: string;
  readonly updatorInfo: {
    readonly email: string;
    readonly iconUrl: string;
    readonly name: string;
    readonly username: string;
  };
  /** dsbd_ and 32 characters */
  readonly uuid: string;
  /** its workspace */
  readonly workspaceUUID: string;
  readonly tag_info: readonly {
    readonly id: string;
    readonly name: string;
  }[];
};

export type GetDashboardQuery = {
  /** with its charts and variables */
  readonly withCharts?: boolean;
};

export type GetDashboardAnswer = {
  /** identifiers of the groups of charts, in their order */
  readonly chartGroupPos: readonly string[];
  /** where each chart stands, in the order of the charts */
  readonly chartPos: readonly ({
    readonly chartUUID: string;
    readonly pos: {
      readonly i?: string | number | null;
      readonly h?: number | null;
      readonly w?: number | null;
      readonly x?: number | null;
      readonly y?: number | null;
    };
  })[];
  /** seconds since 1970 */
  readonly createAt: number;
  /** import: its content was replaced by an import */
  readonly createdWay: "manual" | "import";
  /** the key that made it */
  readonly creator: string;
  readonly creatorInfo: {
    readonly email: string;
    readonly iconUrl: string;
    readonly name: string;
    readonly username: string;
  };
  readonly dashboardBindSet: readonly JsonObject[];
  /** -1 while it is there */
  readonly deleteAt: number;
  readonly desc: string;
  /** free for the client */
  readonly extend: JsonObject;
  /** {} or {icon, url} */
  readonly iconSet: JsonObject;
  /** number of the row */
  readonly id: number;
  readonly identifier: string;
  /** 1 public, 0 private, -1 by permissionSet and readPermissionSet */
  readonly isPublic: 1 | 0 | -1;
  /** how fields of variables are mapped */
  readonly mapping: readonly JsonObject[];
  readonly name: string;
  readonly ownerType: "node";
  /** who may change it: roles, accounts, teams */
  readonly permissionSet: readonly string[];
  /** who may see it */
  readonly readPermissionSet: readonly string[];
  /** 0 normal */
  readonly status: 0;
  /** its tags */
  readonly tagInfo: readonly {
    readonly id: string;
    readonly name: string;
  }[];
  readonly type: "CUSTOM";
  /** seconds since 1970 */
  readonly updateAt: number;
  /** the key that changed it last */
  readonly updator: string;
  readonly updatorInfo: {
    readonly email: string;
    readonly iconUrl: string;
    readonly name: string;
    readonly username: string;
  };
  /** dsbd_ and 32 characters */
  readonly uuid: string;
  /** its workspace */
  readonly workspaceUUID: string;
  /** with withCharts=true */
  readonly charts?: readonly JsonObject[];
  /** its tags, under its identifier */
  readonly tag_info: { readonly [name: string]: readonly {
    readonly id: string;
    readonly name: string;
  }[] };
  /** with withCharts=true */
  readonly vars?: readonly JsonObject[];
};

export type ModifyDashboardBody = {
  readonly name?: string;
  readonly desc?: string;
  readonly identifier?: string;
  /** free for the client */
  readonly extend?: JsonObject;
  /** how fields of variables are mapped */
  readonly mapping?: readonly JsonObject[];
  /** its tags; those that are new are made */
  readonly tagNames?: readonly string[];
  /** 1 public, 0 private, -1 by the two sets */
  readonly isPublic?: 1 | 0 | -1;
  /** who may change it */
  readonly permissionSet?: readonly string[];
  /** who may see it */
  readonly readPermissionSet?: readonly string[];
};

export type ModifyDashboardAnswer = {
  /** identifiers of the groups of charts, in their order */
  readonly chartGroupPos: readonly string[];
  /** where each chart stands, in the order of the charts */
  readonly chartPos: readonly ({
    readonly chartUUID: string;
    readonly pos: {
      readonly i?: string | number | null;
      readonly h?: number | null;
      readonly w?: number | null;
      readonly x?: number | null;
      readonly y?: number | null;
    };
  })[];
  /** seconds since 1970 */
  readonly createAt: number;
  /** import: its content was replaced by an import */
  readonly createdWay: "manual" | "import";
  /** the key that made it */
  readonly creator: string;
  readonly creatorInfo: {
    readonly email: string;
    readonly iconUrl: string;
    readonly name: string;
    readonly username: string;
  };
  readonly dashboardBindSet: readonly JsonObject[];
  /** -1 while it is there */
  readonly deleteAt: number;
  readonly desc: string;
  /** free for the client */
  readonly extend: JsonObject;
  /** {} or {icon, url} */
  readonly iconSet: JsonObject;
  /** number of the row */
  readonly id: number;
  readonly identifier: string;
  /** 1 public, 0 private, -1 by permissionSet and readPermissionSet */
  readonly isPublic: 1 | 0 | -1;
  /** how fields of variables are mapped */
  readonly mapping: readonly JsonObject[];
  readonly name: string;
  readonly ownerType: "node";
  /** who may change it: roles, accounts, teams */
  readonly permissionSet: readonly string[];
  /** who may see it */
  readonly readPermissionSet: readonly string[];
  /** 0 normal */
  readonly status: 0;
  /** its tags */
  readonly tagInfo: readonly {
    readonly id: string;
    readonly name: string;
  }[];
  readonly type: "CUSTOM";
  /** seconds since 1970 */
  readonly updateAt: number;
  /** the key that changed it last */
  readonly updator: string;
  readonly updatorInfo: {
    readonly email: string;
    readonly iconUrl: string;
    readonly name: string;
    readonly username: string;
  };
  /** dsbd_ and 32 characters */
  readonly uuid: string;
  /** its workspace */
  readonly workspaceUUID: string;
  readonly dashboardBidding: JsonObject;
  /** the name before */
  readonly old_name: string;
  readonly tag_info: {
    readonly sceneInfo: readonly JsonObject[];
    readonly tagInfo: readonly {
      readonly id: string;
      readonly name: string;
    }[];
  };
};

export type ImportDashboardBody = {
  /** a dashboard's content, as export gives it */
  readonly templateInfo: {
    readonly title?: string;
    readonly summary?: string;
    readonly dashboardType?: string;
    readonly dashboardOwnerType?: string;
    readonly dashboardExtend?: JsonObject;
    readonly dashboardMapping?: readonly JsonObject[];
    readonly dashboardBindSet?: readonly Json[];
    /** icon and url */
    readonly iconSet?: JsonObject;
    readonly icon?: string;
    readonly thumbnail?: string;
    readonly tags?: readonly Json[];
    readonly tagInfo?: readonly {
      readonly id?: string;
      readonly name: string;
    }[];
    readonly main?: {
      readonly type?: string;
      readonly groups?: readonly (string | {
        readonly name: string;
        readonly extend?: JsonObject;
      })[];
      readonly vars?: readonly {
        /** unique among the variables */
        readonly code?: string;
      }[];
      readonly charts?: readonly ({
        /** title */
        readonly name: string;
        /** sequence, toplist, singlestat, pie, table, text, gauge, log, ... */
        readonly type: string;
        readonly pos?: {
          readonly i?: string | number | null;
          readonly h?: number | null;
          readonly w?: number | null;
          readonly x?: number | null;
          readonly y?: number | null;
        } | null;
        readonly group?: {
          readonly name?: string | null;
        } | null;
        /** may be empty */
        readonly queries: readonly {
          /** the language of the query, such as dql */
          readonly qtype?: string;
          /** q is the text of the query */
          readonly query?: JsonObject;
        }[];
        /** settings: chartType, colors, units, ... */
        readonly extend?: JsonObject;
      })[];
    };
  };
};

export type CopyDashboardBody = {
  /** <name>_copy without it */
  readonly name?: string;
};

export type ListHostsQuery = {
  /** part of name, host, in upper or lower case; empty = all */
  readonly search?: string;
  /** page, from 1 */
  readonly pageIndex?: number;
  /** rows of a page */
  readonly pageSize?: number;
  /** JSON: {"os":"linux"}: members with these values; a list = any of them */
  readonly filter?: JsonObject;
  /** a leading - turns the order */
  readonly orderBy?: "name" | "-name" | "cpu_usage" | "-cpu_usage" | "mem_used_percent" | "-mem_used_percent" | "load" | "-load" | "last_update_time" | "-last_update_time";
  /** those with any of these labels, separated by commas */
  readonly labels?: readonly string[];
  /** only points from then on count, ms since 1970 */
  readonly startTime?: number;
  /** only points until then, ms since 1970; now without it */
  readonly endTime?: number;
  /** also objects whose points are all older */
  readonly includeOffline?: boolean;
};

export type ListHostsRow = {
  /** uuid again */
  readonly __docid: string;
  /** version of the agent that reports it */
  readonly agent_ver: string | null;
  /** such as x86_64 */
  readonly arch: string | null;
  readonly class: "HOST";
  readonly cloud_provider: string | null;
  /** percent */
  readonly cpu_usage: number | null;
  /** time of its first point, ms since 1970 */
  readonly create_time: number;
  readonly description: string | null;
  /** bytes */
  readonly disk_total: number | null;
  /** percent */
  readonly disk_used_percent: number | null;
  readonly diskio_read_bytes_per_sec: number | null;
  readonly diskio_write_bytes_per_sec: number | null;
  /** all other fields */
  readonly fields: JsonObject;
  readonly host: string | null;
  readonly instance_charge_type: string | null;
  readonly instance_id: string | null;
  readonly instance_name: string | null;
  readonly instance_network_type: string | null;
  readonly instance_status: string | null;
  readonly instance_type: string | null;
  /** 1 in a container, else 0 */
  readonly is_docker: number | null;
  readonly labels: readonly string[];
  /** time of its newest point, ms since 1970 */
  readonly last_update_time: number;
  /** of the system */
  readonly load: number | null;
  /** of the agent */
  readonly logging_level: string | null;
  /** percent */
  readonly mem_used_percent: number | null;
  /** JSON text: all that is known of the host */
  readonly message: string | null;
  readonly name: string;
  readonly net_recv_bytes_per_sec: number | null;
  readonly net_send_bytes_per_sec: number | null;
  readonly num_cpu: number | null;
  /** such as linux */
  readonly os: string | null;
  readonly private_ip: string | null;
  readonly region: string | null;
  readonly security_group_id: string | null;
  /** when it was started, ms since 1970 */
  readonly start_time: number | null;
  /** online: a point came in the last 10 minutes */
  readonly status: "online" | "offline";
  /** all other tags */
  readonly tags: { readonly [name: string]: string };
  readonly unicast_ip: string | null;
  /** object_ and 32 hexadecimal digits, the same for the same workspace and name */
  readonly uuid: string;
  readonly zone_id: string | null;
};

export type ListProcessesQuery = {
  /** part of name, process_name, cmdline, in upper or lower case; empty = all */
  readonly search?: string;
  /** page, from 1 */
  readonly pageIndex?: number;
  /** rows of a page */
  readonly pageSize?: number;
  /** JSON: {"os":"linux"}: members with these values; a list = any of them */
  readonly filter?: JsonObject;
  /** a leading - turns the order */
  readonly orderBy?: "name" | "-name" | "cpu_usage" | "-cpu_usage" | "mem_used_percent" | "-mem_used_percent" | "rss" | "-rss" | "pid" | "-pid";
  /** those with any of these labels, separated by commas */
  readonly labels?: readonly string[];
  /** only points from then on count, ms since 1970 */
  readonly startTime?: number;
  /** only points until then, ms since 1970; now without it */
  readonly endTime?: number;
  /** also objects whose points are all older */
  readonly includeOffline?: boolean;
  /** those of the host with exactly this name */
  readonly host?: string;
};

export type ListProcessesRow = {
  /** uuid again */
  readonly __docid: string;
  readonly class: "host_processes";
  readonly cmdline: string | null;
  readonly container_id: string | null;
  /** percent, since it was started */
  readonly cpu_usage: number | null;
  /** percent, between two reports */
  readonly cpu_usage_top: number | null;
  /** time of its first point, ms since 1970 */
  readonly create_time: number;
  /** all other fields */
  readonly fields: JsonObject;
  readonly host: string | null;
  readonly labels: readonly string[];
  /** time of its newest point, ms since 1970 */
  readonly last_update_time: number;
  /** JSON list */
  readonly listen_ports: string | null;
  /** percent */
  readonly mem_used_percent: number | null;
  readonly message: string | null;
  readonly name: string;
  readonly nonvoluntary_ctxt_switches: number | null;
  readonly open_files: number | null;
  readonly page_children_major_faults: number | null;
  readonly page_children_minor_faults: number | null;
  readonly page_major_faults: number | null;
  readonly page_minor_faults: number | null;
  readonly pid: number | null;
  readonly proc_read_bytes: number | null;
  readonly proc_syscr: number | null;
  readonly proc_syscw: number | null;
  readonly proc_write_bytes: number | null;
  readonly process_name: string | null;
  /** resident memory, bytes */
  readonly rss: number | null;
  /** ms since 1970 */
  readonly start_time: number | null;
  /** s since it was started */
  readonly started_duration: number | null;
  /** of Linux */
  readonly state: string | null;
  readonly state_zombie: boolean | null;
  /** all other tags */
  readonly tags: { readonly [name: string]: string };
  readonly threads: number | null;
  readonly username: string | null;
  /** object_ and 32 hexadecimal digits, the same for the same workspace and name */
  readonly uuid: string;
  /** virtual memory, bytes */
  readonly vms: number | null;
  readonly voluntary_ctxt_switches: number | null;
  readonly work_directory: string | null;
};

export type QueryDataBody = {
  /** 1 to 50 */
  readonly queries: readonly ({
    readonly qtype?: "dql";
    readonly query: {
      /** the statement */
      readonly q: string;
      /** [start] or [start, end], ms since 1970 */
      readonly timeRange?: readonly number[];
      /** rows of a series; 0 = absent */
      readonly limit?: number;
      /** rows that are left out first; 0 = absent */
      readonly offset?: number;
      /** series; 0 = absent */
      readonly slimit?: number;
      /** series that are left out first; 0 = absent */
      readonly soffset?: number;
      /** such as [{"time":"desc"}] */
      readonly orderby?: readonly JsonObject[];
      /** such as [{"time":"desc"}] */
      readonly sorder_by?: readonly JsonObject[];
      /** where the page before ended; [] for the first page */
      readonly search_after?: readonly Json[];
      /** points of a curve, before all else that says how many; 0 = absent */
      readonly maxPointCount?: number;
      /** seconds between the points of a curve; 0 = absent */
      readonly interval?: number;
      /** how many points a curve has: 60, 180, 360, 720 */
      readonly density?: "lower" | "low" | "medium" | "high";
      /** only one column besides the time is allowed */
      readonly disableMultipleField?: boolean;
      /** shows where a filter has matched */
      readonly highlight?: boolean;
      /** time zone, such as Europe/Berlin */
      readonly tz?: string;
      /** in place of series points as base64, or a table as CSV */
      readonly output_format?: "json" | "lineprotocol" | "csv";
    };
  })[];
  readonly fieldTagDescNeeded?: boolean;
};

export type QueryDataAnswer = {
  readonly data: readonly ({
    readonly series: readonly {
      /** of metrics: the measurement */
      readonly name?: string;
      /** what the series is of, by BY */
      readonly tags?: { readonly [name: string]: string };
      /** time first */
      readonly columns: readonly string[];
      /** rows */
      readonly values: readonly (readonly Json[])[];
      /** of each column; null: unknown */
      readonly units: readonly Json[];
    }[] | null;
    readonly points: readonly string[] | null;
    /** with output_format csv: one table of all series */
    readonly csv?: string;
    /** what was cut, and what may not be meant as it stands */
    readonly query_warning?: string;
    /** all columns but the time */
    readonly column_names: readonly string[];
    /** what the query took, such as 3.2ms */
    readonly cost: string;
    readonly is_running: boolean;
    readonly async_id: string;
    /** points that match */
    readonly total_hits?: number;
    readonly group_by?: readonly string[];
    /** for the next page */
    readonly search_after?: readonly Json[];
    /** namespace, sources, fields and functions of the statement */
    readonly query_parse?: JsonObject;
    readonly complete?: boolean;
    readonly next_cursor_time?: number;
    /** ms between the points of a curve; 0: none */
    readonly interval?: number;
    readonly window?: number;
  })[];
};

export type ListPipelinesQuery = {
  /** part of the name, in upper or lower case; empty = all */
  readonly search?: string;
  /** those of any of these categories, separated by commas */
  readonly categories?: readonly string[];
  /** page, from 1 */
  readonly pageIndex?: number;
  /** rows of a page */
  readonly pageSize?: number;
};

export type ListPipelinesRow = {
  /** the script's, without .p */
  readonly name: string;
  /** of the points it runs over */
  readonly category: "metric" | "network" | "keyevent" | "object" | "custom_object" | "logging" | "tracing" | "rum" | "security" | "profiling";
  /** the script, in base64 */
  readonly content: string;
  /** a JSON list for trying it out, in base64 */
  readonly testData: string;
  /** names of points it runs over, besides its own */
  readonly source: readonly string[];
  /** 1: it runs over all points of the category that have no script */
  readonly asDefault: 0 | 1;
  /** free for the client */
  readonly extend: JsonObject;
  /** seconds since 1970 */
  readonly createAt: number;
  /** the key that made it */
  readonly creator: string;
  readonly creatorInfo: {
    readonly email: string;
    readonly iconUrl: string;
    readonly name: string;
    readonly username: string;
  };
  /** -1 while it is there */
  readonly deleteAt: number;
  /** number of the row */
  readonly id: number;
  /** seconds since 1970 */
  readonly updateAt: number;
  /** the key that changed it last */
  readonly updator: string;
  readonly updatorInfo: {
    readonly email: string;
    readonly iconUrl: string;
    readonly name: string;
    readonly username: string;
  };
  /** pl_ and 32 hexadecimal digits */
  readonly uuid: string;
  /** its workspace */
  readonly workspaceUUID: string;
  /** 0 enabled, 2 disabled */
  readonly status: 0 | 2;
};

export type AddPipelineBody = {
  /** the script's, without .p */
  readonly name: string;
  /** of the points it runs over */
  readonly category: "metric" | "network" | "keyevent" | "object" | "custom_object" | "logging" | "tracing" | "rum" | "security" | "profiling";
  /** the script, in base64 */
  readonly content: string;
  /** a JSON list for trying it out, in base64 */
  readonly testData?: string;
  /** names of points it runs over, besides its own */
  readonly source?: readonly string[];
  /** 1: it runs over all points of the category that have no script */
  readonly asDefault?: 0 | 1;
  /** another default of the category is replaced */
  readonly isForce?: boolean;
  /** free for the client */
  readonly extend?: JsonObject;
};

export type ModifyPipelineBody = {
  /** the script's, without .p */
  readonly name?: string;
  /** of the points it runs over */
  readonly category?: "metric" | "network" | "keyevent" | "object" | "custom_object" | "logging" | "tracing" | "rum" | "security" | "profiling";
  /** the script, in base64 */
  readonly content?: string;
  /** a JSON list for trying it out, in base64 */
  readonly testData?: string;
  /** names of points it runs over, besides its own */
  readonly source?: readonly string[];
  /** 1: it runs over all points of the category that have no script */
  readonly asDefault?: 0 | 1;
  /** another default of the category is replaced */
  readonly isForce?: boolean;
  /** free for the client */
  readonly extend?: JsonObject;
};

export type DeletePipelinesBody = {
  /** identifiers of pipelines */
  readonly pipelineUUIDs: readonly string[];
};

export type DisablePipelinesBody = {
  /** false: enables them */
  readonly isDisable: boolean;
  /** identifiers of pipelines */
  readonly pipelineUUIDs: readonly string[];
};

export type ExportPipelinesQuery = {
  /** identifiers of pipelines, separated by commas; all without it */
  readonly pipelineUUIDs?: readonly string[];
};

export type ExportPipelinesAnswer = {
  readonly pipelines: readonly ({
    /** the script's, without .p */
    readonly name: string;
    /** of the points it runs over */
    readonly category: "metric" | "network" | "keyevent" | "object" | "custom_object" | "logging" | "tracing" | "rum" | "security" | "profiling";
    /** the script, in base64 */
    readonly content: string;
    /** a JSON list for trying it out, in base64 */
    readonly testData?: string;
    /** names of points it runs over, besides its own */
    readonly source?: readonly string[];
    /** 1: it runs over all points of the category that have no script */
    readonly asDefault?: 0 | 1;
    readonly status?: 0 | 2;
    /** free for the client */
    readonly extend?: JsonObject;
  })[];
};

export type ExportChosenPipelinesBody = {
  /** identifiers of pipelines */
  readonly pipelineUUIDs?: readonly string[];
};

export type ImportPipelinesBody = {
  /** 1 to 1000 */
  readonly pipelines: readonly ({
    /** the script's, without .p */
    readonly name: string;
    /** of the points it runs over */
    readonly category: "metric" | "network" | "keyevent" | "object" | "custom_object" | "logging" | "tracing" | "rum" | "security" | "profiling";
    /** the script, in base64 */
    readonly content: string;
    /** a JSON list for trying it out, in base64 */
    readonly testData?: string;
    /** names of points it runs over, besides its own */
    readonly source?: readonly string[];
    /** 1: it runs over all points of the category that have no script */
    readonly asDefault?: 0 | 1;
    readonly status?: 0 | 2;
    /** free for the client */
    readonly extend?: JsonObject;
  })[];
  /** other defaults of the categories are replaced */
  readonly isForce?: boolean;
};

export type ImportPipelinesAnswer = {
  readonly data: readonly ({
    /** the script's, without .p */
    readonly name: string;
    /** of the points it runs over */
    readonly category: "metric" | "network" | "keyevent" | "object" | "custom_object" | "logging" | "tracing" | "rum" | "security" | "profiling";
    /** the script, in base64 */
    readonly content: string;
    /** a JSON list for trying it out, in base64 */
    readonly testData: string;
    /** names of points it runs over, besides its own */
    readonly source: readonly string[];
    /** 1: it runs over all points of the category that have no script */
    readonly asDefault: 0 | 1;
    /** free for the client */
    readonly extend: JsonObject;
    /** seconds since 1970 */
    readonly createAt: number;
    /** the key that made it */
    readonly creator: string;
    readonly creatorInfo: {
      readonly email: string;
      readonly iconUrl: string;
      readonly name: string;
      readonly username: string;
    };
    /** -1 while it is there */
    readonly deleteAt: number;
    /** number of the row */
    readonly id: number;
    /** seconds since 1970 */
    readonly updateAt: number;
    /** the key that changed it last */
    readonly updator: string;
    readonly updatorInfo: {
      readonly email: string;
      readonly iconUrl: string;
      readonly name: string;
      readonly username: string;
    };
    /** pl_ and 32 hexadecimal digits */
    readonly uuid: string;
    /** its workspace */
    readonly workspaceUUID: string;
    /** 0 enabled, 2 disabled */
    readonly status: 0 | 2;
  })[];
};

export type ListBlacklistsQuery = {
  /** part of the name, in upper or lower case; empty = all */
  readonly search?: string;
  /** category of the points */
  readonly type?: "metric" | "network" | "keyevent" | "object" | "custom_object" | "logging" | "tracing" | "rum" | "security" | "profiling";
  /** page, from 1 */
  readonly pageIndex?: number;
  /** rows of a page */
  readonly pageSize?: number;
};

export type ListBlacklistsRow = {
  readonly name: string;
  /** category of the points */
  readonly type: "metric" | "network" | "keyevent" | "object" | "custom_object" | "logging" | "tracing" | "rum" | "security" | "profiling";
  /** of the points, such as the source of logs; empty = all */
  readonly source: string;
  /** which of these points; none: all */
  readonly filters: readonly ({
    /** of a tag or a field */
    readonly name: string;
    /** match: regular expressions */
    readonly operation: "in" | "not_in" | "match" | "not_match";
    /** how it is joined to the one before */
    readonly condition: "and" | "or";
    /** any of these */
    readonly value: readonly string[];
  })[];
  /** seconds since 1970 */
  readonly createAt: number;
  /** the key that made it */
  readonly creator: string;
  readonly creatorInfo: {
    readonly email: string;
    readonly iconUrl: string;
    readonly name: string;
    readonly username: string;
  };
  /** -1 while it is there */
  readonly deleteAt: number;
  /** number of the row */
  readonly id: number;
  /** seconds since 1970 */
  readonly updateAt: number;
  /** the key that changed it last */
  readonly updator: string;
  readonly updatorInfo: {
    readonly email: string;
    readonly iconUrl: string;
    readonly name: string;
    readonly username: string;
  };
  /** blist_ and 32 hexadecimal digits */
  readonly uuid: string;
  /** its workspace */
  readonly workspaceUUID: string;
  /** the condition that agents drop points by */
  readonly conditions: string;
};

export type AddBlacklistBody = {
  /** category of the points */
  readonly type: "metric" | "network" | "keyevent" | "object" | "custom_object" | "logging" | "tracing" | "rum" | "security" | "profiling";
  /** of the points, such as the source of logs; empty = all */
  readonly source?: string;
  readonly name?: string;
  /** which of these points; none: all */
  readonly filters?: readonly ({
    /** of a tag or a field */
    readonly name: string;
    /** match: regular expressions */
    readonly operation: "in" | "not_in" | "match" | "not_match";
    /** how it is joined to the one before */
    readonly condition: "and" | "or";
    /** any of these */
    readonly value: readonly string[];
  })[];
};

export type ModifyBlacklistBody = {
  /** category of the points */
  readonly type?: "metric" | "network" | "keyevent" | "object" | "custom_object" | "logging" | "tracing" | "rum" | "security" | "profiling";
  /** of the points, such as the source of logs; empty = all */
  readonly source?: string;
  readonly name?: string;
  /** which of these points; none: all */
  readonly filters?: readonly ({
    /** of a tag or a field */
    readonly name: string;
    /** match: regular expressions */
    readonly operation: "in" | "not_in" | "match" | "not_match";
    /** how it is joined to the one before */
    readonly condition: "and" | "or";
    /** any of these */
    readonly value: readonly string[];
  })[];
};

export type DeleteBlacklistsBody = {
  /** identifiers of blacklists */
  readonly blacklistUUIDs: readonly string[];
};

export type ExportBlacklistsBody = {
  /** identifiers of blacklists */
  readonly blacklistUUIDs?: readonly string[];
};

export type ExportBlacklistsAnswer = {
  readonly blacklists: readonly ({
    /** category of the points */
    readonly type: "metric" | "network" | "keyevent" | "object" | "custom_object" | "logging" | "tracing" | "rum" | "security" | "profiling";
    /** of the points, such as the source of logs; empty = all */
    readonly source?: string;
    readonly name?: string;
    /** which of these points; none: all */
    readonly filters?: readonly ({
      /** of a tag or a field */
      readonly name: string;
      /** match: regular expressions */
      readonly operation: "in" | "not_in" | "match" | "not_match";
      /** how it is joined to the one before */
      readonly condition: "and" | "or";
      /** any of these */
      readonly value: readonly string[];
    })[];
  })[];
};

export type ImportBlacklistsAnswer = {
  readonly data: readonly ({
    readonly name: string;
    /** category of the points */
    readonly type: "metric" | "network" | "keyevent" | "object" | "custom_object" | "logging" | "tracing" | "rum" | "security" | "profiling";
    /** of the points, such as the source of logs; empty = all */
    readonly source: string;
    /** which of these points; none: all */
    readonly filters: readonly ({
      /** of a tag or a field */
      readonly name: string;
      /** match: regular expressions */
      readonly operation: "in" | "not_in" | "match" | "not_match";
      /** how it is joined to the one before */
      readonly condition: "and" | "or";
      /** any of these */
      readonly value: readonly string[];
    })[];
    /** seconds since 1970 */
    readonly createAt: number;
    /** the key that made it */
    readonly creator: string;
    readonly creatorInfo: {
      readonly email: string;
      readonly iconUrl: string;
      readonly name: string;
      readonly username: string;
    };
    /** -1 while it is there */
    readonly deleteAt: number;
    /** number of the row */
    readonly id: number;
    /** seconds since 1970 */
    readonly updateAt: number;
    /** the key that changed it last */
    readonly updator: string;
    readonly updatorInfo: {
      readonly email: string;
      readonly iconUrl: string;
      readonly name: string;
      readonly username: string;
    };
    /** blist_ and 32 hexadecimal digits */
    readonly uuid: string;
    /** its workspace */
    readonly workspaceUUID: string;
    /** the condition that agents drop points by */
    readonly conditions: string;
  })[];
};

export type ListReplaysQuery = {
  /** page, from 1 */
  readonly pageIndex?: number;
  /** rows of a page */
  readonly pageSize?: number;
};

export type ListReplaysRow = {
  /** of all parts */
  readonly bytes: number;
  /** milliseconds since 1970: when the first part was taken */
  readonly firstAt: number;
  /** milliseconds since 1970: when the last part was taken */
  readonly lastAt: number;
  /** number of uploads */
  readonly parts: number;
  /** session_id of the uploads */
  readonly session: string;
};

export type ListReplayPartsRow = {
  /** milliseconds since 1970 */
  readonly at: number;
  readonly bytes: number;
  readonly uuid: string;
};

export type GetReplayPartQuery = {
  /** uuid of the part; the first one when it is left out */
  readonly part?: string;
};

export type GetReplayPartAnswer = {
  /** milliseconds since 1970 */
  readonly at: number;
  readonly bytes: number;
  readonly uuid: string;
  /** the form as it was sent, without its compression, in base64 */
  readonly body: string;
  /** of the form, with its boundary */
  readonly contentType: string;
  /** the values of the form that are no files, by name */
  readonly values: { readonly [name: string]: string };
};

export type ListChangesQuery = {
  /** changes of this object only */
  readonly uuid?: string;
  /** page, from 1 */
  readonly pageIndex?: number;
  /** rows of a page */
  readonly pageSize?: number;
};

export type ListChangesRow = {
  /** create, modify, import, delete */
  readonly action: string;
  /** the key that made the change, or command line */
  readonly actor: string;
  /** milliseconds since 1970 */
  readonly at: number;
  /** by the name of a member that changed, before and after */
  readonly change: JsonObject;
  /** number of the row */
  readonly id: number;
  /** dashboard, tag, key, ... */
  readonly kind: string;
  /** of the request; empty for the command line */
  readonly traceId: string;
  /** of the object */
  readonly uuid: string;
};

export const operations: Readonly<Record<keyof OpenApiClient, Operation>> = {
  validateKey: { method: "GET", path: "/validate", isList: false, spellings: {} },
  listAccessKeys: { method: "GET", path: "/workspace/accesskey/list", isList: true, spellings: {} },
  addAccessKey: { method: "POST", path: "/workspace/accesskey/add", isList: false, spellings: {} },
  getAccessKey: { method: "GET", path: "/workspace/accesskey/{key}/get", isList: false, spellings: {} },
  deleteAccessKey: { method: "POST", path: "/workspace/accesskey/{key}/delete", isList: false, spellings: {} },
  getWorkspace: { method: "GET", path: "/workspace/get", isList: false, spellings: {} },
  modifyWorkspace: { method: "POST", path: "/workspace/modify", isList: false, spellings: {} },
  createWorkspace: { method: "POST", path: "/workspace/create", isList: false, spellings: {} },
  listMembers: { method: "GET", path: "/workspace/members/list", isList: true, spellings: {} },
  listDashboards: { method: "GET", path: "/dashboard/list", isList: true, spellings: { tagNames: "json" } },
  createDashboard: { method: "POST", path: "/dashboard/create", isList: false, spellings: {} },
  getDashboard: { method: "GET", path: "/dashboard/{dashboard}/get", isList: false, spellings: {} },
  modifyDashboard: { method: "POST", path: "/dashboard/{dashboard}/modify", isList: false, spellings: {} },
  deleteDashboard: { method: "POST", path: "/dashboard/{dashboard}/delete", isList: false, spellings: {} },
  exportDashboard: { method: "GET", path: "/dashboard/{dashboard}/export", isList: false, spellings: {} },
  importDashboard: { method: "POST", path: "/dashboard/{dashboard}/import", isList: false, spellings: {} },
  copyDashboard: { method: "POST", path: "/dashboard/{dashboard}/copy", isList: false, spellings: {} },
  listHosts: { method: "GET", path: "/object/host/list", isList: true, spellings: { filter: "json", labels: "commas" } },
  listProcesses: { method: "GET", path: "/object/process/list", isList: true, spellings: { filter: "json", labels: "commas" } },
  queryData: { method: "POST", path: "/df/query_data_v1", isList: false, spellings: {} },
  listPipelines: { method: "GET", path: "/pipeline/list", isList: true, spellings: { categories: "commas" } },
  addPipeline: { method: "POST", path: "/pipeline/add", isList: false, spellings: {} },
  getPipeline: { method: "GET", path: "/pipeline/{pipeline}/get", isList: false, spellings: {} },
  modifyPipeline: { method: "POST", path: "/pipeline/{pipeline}/modify", isList: false, spellings: {} },
  deletePipelines: { method: "POST", path: "/pipeline/delete", isList: false, spellings: {} },
  disablePipelines: { method: "POST", path: "/pipeline/batch_set_disable", isList: false, spellings: {} },
  exportPipelines: { method: "GET", path: "/pipeline/export", isList: false, spellings: { pipelineUUIDs: "commas" } },
  exportChosenPipelines: { method: "POST", path: "/pipeline/export", isList: false, spellings: {} },
  importPipelines: { method: "POST", path: "/pipeline/import", isList: false, spellings: {} },
  listBlacklists: { method: "GET", path: "/blacklist/list", isList: true, spellings: {} },
  addBlacklist: { method: "POST", path: "/blacklist/add", isList: false, spellings: {} },
  getBlacklist: { method: "GET", path: "/blacklist/{blacklist}/get", isList: false, spellings: {} },
  modifyBlacklist: { method: "POST", path: "/blacklist/{blacklist}/modify", isList: false, spellings: {} },
  deleteBlacklists: { method: "POST", path: "/blacklist/delete", isList: false, spellings: {} },
  exportBlacklists: { method: "POST", path: "/blacklist/export", isList: false, spellings: {} },
  importBlacklists: { method: "POST", path: "/blacklist/import", isList: false, spellings: {} },
  listReplays: { method: "GET", path: "/replay/list", isList: true, spellings: {} },
  listReplayParts: { method: "GET", path: "/replay/{session}/part/list", isList: true, spellings: {} },
  getReplayPart: { method: "GET", path: "/replay/{session}/get", isList: false, spellings: {} },
  listChanges: { method: "GET", path: "/audit/list", isList: true, spellings: {} },
};

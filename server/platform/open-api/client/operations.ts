// The operations of the Open API and their types, written by `npm run docs` from the declarations of the routes.
// biome-ignore-all format: written by a program

import type { Json, JsonObject, Listed, Operation } from "./wire.ts";

export interface OpenApiClient {
  /** Tells whether the API key of the request can be used. */
  validateKey(): Promise<boolean>;
  /** Lists the API keys of the workspace, the newest first. */
  listAccessKeys(asked?: { readonly query?: ListAccessKeysQuery }): Promise<Listed<readonly ListAccessKeysRow[]>>;
  /** Makes an API key. */
  addAccessKey(asked: { readonly headers?: { readonly "Idempotency-Key"?: string }; readonly body: AddAccessKeyBody }): Promise<ListAccessKeysRow>;
  /** Gets an API key, without its secret. */
  getAccessKey(asked: { readonly ids: { readonly key: string } }): Promise<ListAccessKeysRow>;
  /** Deletes an API key, which gives no access from then on. */
  deleteAccessKey(asked: { readonly ids: { readonly key: string }; readonly headers?: { readonly "Idempotency-Key"?: string } }): Promise<{ readonly [name: string]: string }>;
  /** Gets the workspace of the API key. */
  getWorkspace(): Promise<GetWorkspaceAnswer>;
  /** Changes the name or the description of the API key's workspace. */
  modifyWorkspace(asked?: { readonly headers?: { readonly "Idempotency-Key"?: string }; readonly body?: ModifyWorkspaceBody }): Promise<GetWorkspaceAnswer>;
  /** Makes a workspace, with a first API key. */
  createWorkspace(asked: { readonly headers?: { readonly "Idempotency-Key"?: string }; readonly body: CreateWorkspaceBody }): Promise<CreateWorkspaceAnswer>;
  /** Lists the API keys of the workspace as its members. */
  listMembers(asked?: { readonly query?: ListAccessKeysQuery }): Promise<Listed<readonly ListMembersRow[]>>;
  /** Lists dashboards, the most recently changed first. */
  listDashboards(asked?: { readonly query?: ListDashboardsQuery }): Promise<Listed<readonly ListDashboardsRow[]>>;
  /** Makes a dashboard, which is empty or has the content of a template. */
  createDashboard(asked: { readonly headers?: { readonly "Idempotency-Key"?: string }; readonly body: CreateDashboardBody }): Promise<CreateDashboardAnswer>;
  /** Gets a dashboard. */
  getDashboard(asked: { readonly ids: { readonly dashboard: string }; readonly query?: GetDashboardQuery }): Promise<GetDashboardAnswer>;
  /** Changes a dashboard; members that are absent stay as they are. */
  modifyDashboard(asked: { readonly ids: { readonly dashboard: string }; readonly headers?: { readonly "If-Match"?: string; readonly "Idempotency-Key"?: string }; readonly body?: ModifyDashboardBody }): Promise<ModifyDashboardAnswer>;
  /** Deletes a dashboard with its charts and variables. */
  deleteDashboard(asked: { readonly ids: { readonly dashboard: string }; readonly headers?: { readonly "Idempotency-Key"?: string } }): Promise<{ readonly [name: string]: string }>;
  /** Exports a dashboard as a template. */
  exportDashboard(asked: { readonly ids: { readonly dashboard: string } }): Promise<JsonObject>;
  /** Replaces the content of a dashboard with the content of a template. */
  importDashboard(asked: { readonly ids: { readonly dashboard: string }; readonly headers?: { readonly "If-Match"?: string; readonly "Idempotency-Key"?: string }; readonly body: ImportDashboardBody }): Promise<CreateDashboardAnswer>;
  /** Makes a dashboard with the content of another dashboard. */
  copyDashboard(asked: { readonly ids: { readonly dashboard: string }; readonly headers?: { readonly "Idempotency-Key"?: string }; readonly body?: CopyDashboardBody }): Promise<CreateDashboardAnswer>;
  /** Lists hosts. */
  listHosts(asked?: { readonly query?: ListHostsQuery }): Promise<Listed<readonly ListHostsRow[]>>;
  /** Lists processes. */
  listProcesses(asked?: { readonly query?: ListProcessesQuery }): Promise<Listed<readonly ListProcessesRow[]>>;
  /** Answers queries in DQL, the query language. */
  queryData(asked: { readonly body: QueryDataBody }): Promise<QueryDataAnswer>;
  /** Lists pipelines, the most recently changed first. */
  listPipelines(asked?: { readonly query?: ListPipelinesQuery }): Promise<Listed<{ readonly data: readonly ListPipelinesRow[] }>>;
  /** Makes a pipeline. */
  addPipeline(asked: { readonly headers?: { readonly "Idempotency-Key"?: string }; readonly body: AddPipelineBody }): Promise<ListPipelinesRow>;
  /** Gets a pipeline. */
  getPipeline(asked: { readonly ids: { readonly pipeline: string } }): Promise<ListPipelinesRow>;
  /** Changes a pipeline. */
  modifyPipeline(asked: { readonly ids: { readonly pipeline: string }; readonly headers?: { readonly "Idempotency-Key"?: string }; readonly body?: ModifyPipelineBody }): Promise<ListPipelinesRow>;
  /** Deletes the named pipelines; deletes none when one of them is not found. */
  deletePipelines(asked: { readonly headers?: { readonly "Idempotency-Key"?: string }; readonly body: DeletePipelinesBody }): Promise<{ readonly [name: string]: string }>;
  /** Disables or enables the named pipelines; changes none when one of them is not found. */
  disablePipelines(asked: { readonly headers?: { readonly "Idempotency-Key"?: string }; readonly body: DisablePipelinesBody }): Promise<{ readonly [name: string]: 0 | 2 }>;
  /** Exports all pipelines, or only the named ones. */
  exportPipelines(asked?: { readonly query?: ExportPipelinesQuery }): Promise<ExportPipelinesAnswer>;
  /** Exports all pipelines, or only the ones named in the body. */
  exportChosenPipelines(asked?: { readonly body?: ExportChosenPipelinesBody }): Promise<ExportPipelinesAnswer>;
  /** Imports exported pipelines; each replaces a pipeline with the same category and name. */
  importPipelines(asked: { readonly headers?: { readonly "Idempotency-Key"?: string }; readonly body: ImportPipelinesBody }): Promise<ImportPipelinesAnswer>;
  /** Lists blacklists, the most recently changed first. */
  listBlacklists(asked?: { readonly query?: ListBlacklistsQuery }): Promise<Listed<readonly ListBlacklistsRow[]>>;
  /** Makes a blacklist. */
  addBlacklist(asked: { readonly headers?: { readonly "Idempotency-Key"?: string }; readonly body: AddBlacklistBody }): Promise<ListBlacklistsRow>;
  /** Gets a blacklist. */
  getBlacklist(asked: { readonly ids: { readonly blacklist: string } }): Promise<ListBlacklistsRow>;
  /** Changes a blacklist; members that are absent stay as they are. */
  modifyBlacklist(asked: { readonly ids: { readonly blacklist: string }; readonly headers?: { readonly "Idempotency-Key"?: string }; readonly body?: ModifyBlacklistBody }): Promise<ListBlacklistsRow>;
  /** Deletes the named blacklists; deletes none when one of them is not found. */
  deleteBlacklists(asked: { readonly headers?: { readonly "Idempotency-Key"?: string }; readonly body: DeleteBlacklistsBody }): Promise<{ readonly [name: string]: string }>;
  /** Exports all blacklists, or only the named ones. */
  exportBlacklists(asked?: { readonly body?: ExportBlacklistsBody }): Promise<ExportBlacklistsAnswer>;
  /** Imports exported blacklists in addition to the existing ones. */
  importBlacklists(asked: { readonly headers?: { readonly "Idempotency-Key"?: string }; readonly body: ExportBlacklistsAnswer }): Promise<ImportBlacklistsAnswer>;
  /** Lists the sessions that have replays; the session with the newest part comes first. */
  listReplays(asked?: { readonly query?: ListReplaysQuery }): Promise<Listed<readonly ListReplaysRow[]>>;
  /** Lists the parts of a session's replay, in the order of their arrival. */
  listReplayParts(asked: { readonly ids: { readonly session: string }; readonly query?: ListReplaysQuery }): Promise<Listed<readonly ListReplayPartsRow[]>>;
  /** Fetches a part of a session's replay. */
  getReplayPart(asked: { readonly ids: { readonly session: string }; readonly query?: GetReplayPartQuery }): Promise<GetReplayPartAnswer>;
  /** Lists the audit log of the workspace (who changed what), the newest change first. */
  listChanges(asked?: { readonly query?: ListChangesQuery }): Promise<Listed<readonly ListChangesRow[]>>;
}

export type ListAccessKeysQuery = {
  /** text that the name must contain, ignoring case; empty = all */
  readonly search?: string;
  /** number of the page, counted from 1 */
  readonly pageIndex?: number;
  /** maximum number of rows on a page */
  readonly pageSize?: number;
};

export type ListAccessKeysRow = {
  /** time of creation, in seconds since 1970 */
  readonly createAt: number;
  /** the creator: an API key, `command line` or `seed` */
  readonly creator: string;
  readonly creatorInfo: {
    readonly email: string;
    readonly iconUrl: string;
    readonly name: string;
    readonly username: string;
  };
  /** time of the deletion, in seconds since 1970; -1 while the object exists */
  readonly deleteAt: number;
  /** number of the database row */
  readonly id: number;
  readonly name: string;
  readonly remark: string;
  /** roles of the key; the key may do whatever one of them allows */
  readonly roleUUIDs: readonly string[];
  /** secret of the key, only in the answer that creates the key; else empty, as it is not stored */
  readonly sk: string;
  /** status of the key: 0 in use, 2 disabled */
  readonly status: 0 | 2;
  /** time of the last change, in seconds since 1970 */
  readonly updateAt: number;
  /** identifier: wsak_ and 32 hexadecimal digits */
  readonly uuid: string;
  /** identifier of the object's workspace */
  readonly workspaceUUID: string;
};

export type AddAccessKeyBody = {
  readonly name: string;
  readonly remark?: string;
  /** roles that the new key gets, at least one */
  readonly roleUUIDs?: readonly ("wsAdmin" | "general" | "readOnly")[];
};

export type GetWorkspaceAnswer = {
  /** time of creation, in seconds since 1970 */
  readonly createAt: number;
  readonly desc: string;
  /** number of the database row */
  readonly id: number;
  /** number of API keys of the workspace */
  readonly memberCount: number;
  /** unique name of the workspace */
  readonly name: string;
  readonly status: 0;
  /** identifier: wksp_ and 32 hexadecimal digits */
  readonly uuid: string;
  /** always unlimited: no plan limits the workspace */
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
  /** time of creation, in seconds since 1970 */
  readonly createAt: number;
  readonly desc: string;
  /** number of the database row */
  readonly id: number;
  /** number of API keys of the workspace */
  readonly memberCount: number;
  /** unique name of the workspace */
  readonly name: string;
  readonly status: 0;
  /** identifier: wksp_ and 32 hexadecimal digits */
  readonly uuid: string;
  /** always unlimited: no plan limits the workspace */
  readonly versionType: "unlimited";
  readonly accessKey: {
    /** time of creation, in seconds since 1970 */
    readonly createAt: number;
    /** the creator: an API key, `command line` or `seed` */
    readonly creator: string;
    readonly creatorInfo: {
      readonly email: string;
      readonly iconUrl: string;
      readonly name: string;
      readonly username: string;
    };
    /** time of the deletion, in seconds since 1970; -1 while the object exists */
    readonly deleteAt: number;
    /** number of the database row */
    readonly id: number;
    readonly name: string;
    readonly remark: string;
    /** roles of the key; the key may do whatever one of them allows */
    readonly roleUUIDs: readonly string[];
    /** secret of the key, only in the answer that creates the key; else empty, as it is not stored */
    readonly sk: string;
    /** status of the key: 0 in use, 2 disabled */
    readonly status: 0 | 2;
    /** time of the last change, in seconds since 1970 */
    readonly updateAt: number;
    /** identifier: wsak_ and 32 hexadecimal digits */
    readonly uuid: string;
    /** identifier of the object's workspace */
    readonly workspaceUUID: string;
  };
  /** token with which agents write to the workspace; shown only once */
  readonly token: string;
};

export type ListMembersRow = {
  /** time of creation, in seconds since 1970 */
  readonly createAt: number;
  readonly email: string;
  readonly iconUrl: string;
  readonly name: string;
  readonly roles: readonly {
    readonly name: string;
    readonly uuid: string;
  }[];
  /** status of the key: 0 in use, 2 disabled */
  readonly status: 0 | 2;
  /** time of the last change, in seconds since 1970 */
  readonly updateAt: number;
  readonly username: string;
  /** identifier of the key, as in the members creator and updator of objects */
  readonly uuid: string;
};

export type ListDashboardsQuery = {
  /** text that the name must contain, ignoring case; empty = all */
  readonly search?: string;
  /** only dashboards with any of these tags, separated by commas or as JSON; [] = all */
  readonly tagNames?: readonly string[];
  /** number of the page, counted from 1 */
  readonly pageIndex?: number;
  /** maximum number of rows on a page */
  readonly pageSize?: number;
  readonly type?: "CUSTOM";
};

export type ListDashboardsRow = {
  /** identifiers of the groups of charts, in their order */
  readonly chartGroupPos: readonly string[];
  /** position of each chart on the grid, in the order of the charts */
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
  /** time of creation, in seconds since 1970 */
  readonly createAt: number;
  /** import when the present content was imported, else manual */
  readonly createdWay: "manual" | "import";
  /** the API key that created the object */
  readonly creator: string;
  readonly creatorInfo: {
    readonly email: string;
    readonly iconUrl: string;
    readonly name: string;
    readonly username: string;
  };
  readonly dashboardBindSet: readonly JsonObject[];
  /** time of the deletion, in seconds since 1970; -1 while the object exists */
  readonly deleteAt: number;
  readonly desc: string;
  /** any JSON object; the platform only stores it */
  readonly extend: JsonObject;
  /** icon of the dashboard: {} or {icon, url} */
  readonly iconSet: JsonObject;
  /** number of the database row */
  readonly id: number;
  readonly identifier: string;
  /** access: 1 public, 0 private, -1 as the members permissionSet and readPermissionSet define */
  readonly isPublic: 1 | 0 | -1;
  /** mapping of fields to variables of the dashboard */
  readonly mapping: readonly JsonObject[];
  readonly name: string;
  readonly ownerType: "node";
  /** who may change the dashboard: roles, accounts, teams */
  readonly permissionSet: readonly string[];
  /** who may see the dashboard */
  readonly readPermissionSet: readonly string[];
  /** always 0, which means normal */
  readonly status: 0;
  /** tags of the dashboard */
  readonly tagInfo: readonly {
    readonly id: string;
    readonly name: string;
  }[];
  readonly type: "CUSTOM";
  /** time of the last change, in seconds since 1970 */
  readonly updateAt: number;
  /** the API key that changed the object last */
  readonly updator: string;
  readonly updatorInfo: {
    readonly email: string;
    readonly iconUrl: string;
    readonly name: string;
    readonly username: string;
  };
  /** identifier: dsbd_ and 32 characters */
  readonly uuid: string;
  /** identifier of the object's workspace */
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
  /** any JSON object; the platform only stores it */
  readonly extend?: JsonObject;
  /** mapping of fields to variables of the dashboard */
  readonly mapping?: readonly JsonObject[];
  /** tags of the dashboard; new tags are created */
  readonly tagNames?: readonly string[];
  /** content of a dashboard, as the export returns it */
  readonly templateInfo?: {
    readonly title?: string;
    readonly summary?: string;
    readonly dashboardType?: string;
    readonly dashboardOwnerType?: string;
    readonly dashboardExtend?: JsonObject;
    readonly dashboardMapping?: readonly JsonObject[];
    readonly dashboardBindSet?: readonly Json[];
    /** icon of the dashboard: {icon, url} */
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
        /** name of the variable, unique in the dashboard */
        readonly code?: string;
      }[];
      readonly charts?: readonly ({
        /** title of the chart */
        readonly name: string;
        /** type of the chart: sequence, toplist, singlestat, pie, table, text, gauge, log, ... */
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
        /** queries of the chart; may be empty */
        readonly queries: readonly {
          /** the language of the query, such as dql */
          readonly qtype?: string;
          /** the query: an object whose member q is the query text */
          readonly query?: JsonObject;
        }[];
        /** settings of the chart: chartType, colors, units, ... */
        readonly extend?: JsonObject;
      })[];
    };
  };
  /** identifier of the new dashboard; generated when absent */
  readonly specifyDashboardUUID?: string;
  /** access: 1 public, 0 private, -1 as the members permissionSet and readPermissionSet define */
  readonly isPublic?: 1 | 0 | -1;
  /** who may change the dashboard */
  readonly permissionSet?: readonly string[];
  /** who may see the dashboard */
  readonly readPermissionSet?: readonly string[];
};

export type CreateDashboardAnswer = {
  /** identifiers of the groups of charts, in their order */
  readonly chartGroupPos: readonly string[];
  /** position of each chart on the grid, in the order of the charts */
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
  /** time of creation, in seconds since 1970 */
  readonly createAt: number;
  /** import when the present content was imported, else manual */
  readonly createdWay: "manual" | "import";
  /** the API key that created the object */
  readonly creator: string;
  readonly creatorInfo: {
    readonly email: string;
    readonly iconUrl: string;
    readonly name: string;
    readonly username: string;
  };
  readonly dashboardBindSet: readonly JsonObject[];
  /** time of the deletion, in seconds since 1970; -1 while the object exists */
  readonly deleteAt: number;
  readonly desc: string;
  /** any JSON object; the platform only stores it */
  readonly extend: JsonObject;
  /** icon of the dashboard: {} or {icon, url} */
  readonly iconSet: JsonObject;
  /** number of the database row */
  readonly id: number;
  readonly identifier: string;
  /** access: 1 public, 0 private, -1 as the members permissionSet and readPermissionSet define */
  readonly isPublic: 1 | 0 | -1;
  /** mapping of fields to variables of the dashboard */
  readonly mapping: readonly JsonObject[];
  readonly name: string;
  readonly ownerType: "node";
  /** who may change the dashboard: roles, accounts, teams */
  readonly permissionSet: readonly string[];
  /** who may see the dashboard */
  readonly readPermissionSet: readonly string[];
  /** always 0, which means normal */
  readonly status: 0;
  /** tags of the dashboard */
  readonly tagInfo: readonly {
    readonly id: string;
    readonly name: string;
  }[];
  readonly type: "CUSTOM";
  /** time of the last change, in seconds since 1970 */
  readonly updateAt: number;
  /** the API key that changed the object last */
  readonly updator: string;
  readonly updatorInfo: {
    readonly email: string;
    readonly iconUrl: string;
    readonly name: string;
    readonly username: string;
  };
  /** identifier: dsbd_ and 32 characters */
  readonly uuid: string;
  /** identifier of the object's workspace */
  readonly workspaceUUID: string;
  readonly tag_info: readonly {
    readonly id: string;
    readonly name: string;
  }[];
};

export type GetDashboardQuery = {
  /** whether the answer contains charts and variables */
  readonly withCharts?: boolean;
};

export type GetDashboardAnswer = {
  /** identifiers of the groups of charts, in their order */
  readonly chartGroupPos: readonly string[];
  /** position of each chart on the grid, in the order of the charts */
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
  /** time of creation, in seconds since 1970 */
  readonly createAt: number;
  /** import when the present content was imported, else manual */
  readonly createdWay: "manual" | "import";
  /** the API key that created the object */
  readonly creator: string;
  readonly creatorInfo: {
    readonly email: string;
    readonly iconUrl: string;
    readonly name: string;
    readonly username: string;
  };
  readonly dashboardBindSet: readonly JsonObject[];
  /** time of the deletion, in seconds since 1970; -1 while the object exists */
  readonly deleteAt: number;
  readonly desc: string;
  /** any JSON object; the platform only stores it */
  readonly extend: JsonObject;
  /** icon of the dashboard: {} or {icon, url} */
  readonly iconSet: JsonObject;
  /** number of the database row */
  readonly id: number;
  readonly identifier: string;
  /** access: 1 public, 0 private, -1 as the members permissionSet and readPermissionSet define */
  readonly isPublic: 1 | 0 | -1;
  /** mapping of fields to variables of the dashboard */
  readonly mapping: readonly JsonObject[];
  readonly name: string;
  readonly ownerType: "node";
  /** who may change the dashboard: roles, accounts, teams */
  readonly permissionSet: readonly string[];
  /** who may see the dashboard */
  readonly readPermissionSet: readonly string[];
  /** always 0, which means normal */
  readonly status: 0;
  /** tags of the dashboard */
  readonly tagInfo: readonly {
    readonly id: string;
    readonly name: string;
  }[];
  readonly type: "CUSTOM";
  /** time of the last change, in seconds since 1970 */
  readonly updateAt: number;
  /** the API key that changed the object last */
  readonly updator: string;
  readonly updatorInfo: {
    readonly email: string;
    readonly iconUrl: string;
    readonly name: string;
    readonly username: string;
  };
  /** identifier: dsbd_ and 32 characters */
  readonly uuid: string;
  /** identifier of the object's workspace */
  readonly workspaceUUID: string;
  /** the charts; only when the request has withCharts=true */
  readonly charts?: readonly JsonObject[];
  /** tags of the dashboard, keyed by the dashboard's identifier */
  readonly tag_info: { readonly [name: string]: readonly {
    readonly id: string;
    readonly name: string;
  }[] };
  /** the variables; only when the request has withCharts=true */
  readonly vars?: readonly JsonObject[];
};

export type ModifyDashboardBody = {
  readonly name?: string;
  readonly desc?: string;
  readonly identifier?: string;
  /** any JSON object; the platform only stores it */
  readonly extend?: JsonObject;
  /** mapping of fields to variables of the dashboard */
  readonly mapping?: readonly JsonObject[];
  /** tags of the dashboard; new tags are created */
  readonly tagNames?: readonly string[];
  /** access: 1 public, 0 private, -1 as the members permissionSet and readPermissionSet define */
  readonly isPublic?: 1 | 0 | -1;
  /** who may change the dashboard */
  readonly permissionSet?: readonly string[];
  /** who may see the dashboard */
  readonly readPermissionSet?: readonly string[];
};

export type ModifyDashboardAnswer = {
  /** identifiers of the groups of charts, in their order */
  readonly chartGroupPos: readonly string[];
  /** position of each chart on the grid, in the order of the charts */
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
  /** time of creation, in seconds since 1970 */
  readonly createAt: number;
  /** import when the present content was imported, else manual */
  readonly createdWay: "manual" | "import";
  /** the API key that created the object */
  readonly creator: string;
  readonly creatorInfo: {
    readonly email: string;
    readonly iconUrl: string;
    readonly name: string;
    readonly username: string;
  };
  readonly dashboardBindSet: readonly JsonObject[];
  /** time of the deletion, in seconds since 1970; -1 while the object exists */
  readonly deleteAt: number;
  readonly desc: string;
  /** any JSON object; the platform only stores it */
  readonly extend: JsonObject;
  /** icon of the dashboard: {} or {icon, url} */
  readonly iconSet: JsonObject;
  /** number of the database row */
  readonly id: number;
  readonly identifier: string;
  /** access: 1 public, 0 private, -1 as the members permissionSet and readPermissionSet define */
  readonly isPublic: 1 | 0 | -1;
  /** mapping of fields to variables of the dashboard */
  readonly mapping: readonly JsonObject[];
  readonly name: string;
  readonly ownerType: "node";
  /** who may change the dashboard: roles, accounts, teams */
  readonly permissionSet: readonly string[];
  /** who may see the dashboard */
  readonly readPermissionSet: readonly string[];
  /** always 0, which means normal */
  readonly status: 0;
  /** tags of the dashboard */
  readonly tagInfo: readonly {
    readonly id: string;
    readonly name: string;
  }[];
  readonly type: "CUSTOM";
  /** time of the last change, in seconds since 1970 */
  readonly updateAt: number;
  /** the API key that changed the object last */
  readonly updator: string;
  readonly updatorInfo: {
    readonly email: string;
    readonly iconUrl: string;
    readonly name: string;
    readonly username: string;
  };
  /** identifier: dsbd_ and 32 characters */
  readonly uuid: string;
  /** identifier of the object's workspace */
  readonly workspaceUUID: string;
  readonly dashboardBidding: JsonObject;
  /** name of the dashboard before the change */
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
  /** content of a dashboard, as the export returns it */
  readonly templateInfo: {
    readonly title?: string;
    readonly summary?: string;
    readonly dashboardType?: string;
    readonly dashboardOwnerType?: string;
    readonly dashboardExtend?: JsonObject;
    readonly dashboardMapping?: readonly JsonObject[];
    readonly dashboardBindSet?: readonly Json[];
    /** icon of the dashboard: {icon, url} */
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
        /** name of the variable, unique in the dashboard */
        readonly code?: string;
      }[];
      readonly charts?: readonly ({
        /** title of the chart */
        readonly name: string;
        /** type of the chart: sequence, toplist, singlestat, pie, table, text, gauge, log, ... */
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
        /** queries of the chart; may be empty */
        readonly queries: readonly {
          /** the language of the query, such as dql */
          readonly qtype?: string;
          /** the query: an object whose member q is the query text */
          readonly query?: JsonObject;
        }[];
        /** settings of the chart: chartType, colors, units, ... */
        readonly extend?: JsonObject;
      })[];
    };
  };
};

export type CopyDashboardBody = {
  /** name of the copy; default: <name>_copy */
  readonly name?: string;
};

export type ListHostsQuery = {
  /** text that name or host must contain, ignoring case; empty = all */
  readonly search?: string;
  /** number of the page, counted from 1 */
  readonly pageIndex?: number;
  /** maximum number of rows on a page */
  readonly pageSize?: number;
  /** required values of members, in JSON: {"os":"linux"}; a list = any of its values */
  readonly filter?: JsonObject;
  /** name of a member to sort by; a leading - reverses the order */
  readonly orderBy?: "name" | "-name" | "cpu_usage" | "-cpu_usage" | "mem_used_percent" | "-mem_used_percent" | "load" | "-load" | "last_update_time" | "-last_update_time";
  /** only objects with any of these labels, separated by commas */
  readonly labels?: readonly string[];
  /** start of the time range, ms since 1970 */
  readonly startTime?: number;
  /** end of the time range, ms since 1970; default: now */
  readonly endTime?: number;
  /** true: adds objects without points in the time range */
  readonly includeOffline?: boolean;
};

export type ListHostsRow = {
  /** identifier of the host, equal to uuid */
  readonly __docid: string;
  /** version of the agent that reports the host */
  readonly agent_ver: string | null;
  /** processor architecture, such as x86_64 */
  readonly arch: string | null;
  readonly class: "HOST";
  readonly cloud_provider: string | null;
  /** CPU usage in percent */
  readonly cpu_usage: number | null;
  /** time of the object's first point, ms since 1970 */
  readonly create_time: number;
  readonly description: string | null;
  /** total size of the disks in bytes */
  readonly disk_total: number | null;
  /** used share of the disks in percent */
  readonly disk_used_percent: number | null;
  readonly diskio_read_bytes_per_sec: number | null;
  readonly diskio_write_bytes_per_sec: number | null;
  /** fields of the object that are not returned as separate members */
  readonly fields: JsonObject;
  readonly host: string | null;
  readonly instance_charge_type: string | null;
  readonly instance_id: string | null;
  readonly instance_name: string | null;
  readonly instance_network_type: string | null;
  readonly instance_status: string | null;
  readonly instance_type: string | null;
  /** 1: the agent runs in a container, else 0 */
  readonly is_docker: number | null;
  readonly labels: readonly string[];
  /** time of the object's newest point, ms since 1970 */
  readonly last_update_time: number;
  /** system load, such as 0.42 */
  readonly load: number | null;
  /** log level of the agent */
  readonly logging_level: string | null;
  /** memory usage in percent */
  readonly mem_used_percent: number | null;
  /** all known data of the host, as JSON */
  readonly message: string | null;
  readonly name: string;
  readonly net_recv_bytes_per_sec: number | null;
  readonly net_send_bytes_per_sec: number | null;
  readonly num_cpu: number | null;
  /** operating system, such as linux */
  readonly os: string | null;
  readonly private_ip: string | null;
  readonly region: string | null;
  readonly security_group_id: string | null;
  /** time at which the host was started, in ms since 1970 */
  readonly start_time: number | null;
  /** online: a point was received in the last 10 minutes */
  readonly status: "online" | "offline";
  /** tags of the object that are not returned as separate members */
  readonly tags: { readonly [name: string]: string };
  readonly unicast_ip: string | null;
  /** identifier: object_ and 32 hexadecimal digits, computed from workspace and name */
  readonly uuid: string;
  readonly zone_id: string | null;
};

export type ListProcessesQuery = {
  /** text that name or process_name or cmdline must contain, ignoring case; empty = all */
  readonly search?: string;
  /** number of the page, counted from 1 */
  readonly pageIndex?: number;
  /** maximum number of rows on a page */
  readonly pageSize?: number;
  /** required values of members, in JSON: {"os":"linux"}; a list = any of its values */
  readonly filter?: JsonObject;
  /** name of a member to sort by; a leading - reverses the order */
  readonly orderBy?: "name" | "-name" | "cpu_usage" | "-cpu_usage" | "mem_used_percent" | "-mem_used_percent" | "rss" | "-rss" | "pid" | "-pid";
  /** only objects with any of these labels, separated by commas */
  readonly labels?: readonly string[];
  /** start of the time range, ms since 1970 */
  readonly startTime?: number;
  /** end of the time range, ms since 1970; default: now */
  readonly endTime?: number;
  /** true: adds objects without points in the time range */
  readonly includeOffline?: boolean;
  /** only processes of the host with exactly this name */
  readonly host?: string;
};

export type ListProcessesRow = {
  /** identifier of the process, equal to uuid */
  readonly __docid: string;
  readonly class: "host_processes";
  readonly cmdline: string | null;
  readonly container_id: string | null;
  /** CPU usage since the process was started, in percent */
  readonly cpu_usage: number | null;
  /** CPU usage between the last two reports, in percent */
  readonly cpu_usage_top: number | null;
  /** time of the object's first point, ms since 1970 */
  readonly create_time: number;
  /** fields of the object that are not returned as separate members */
  readonly fields: JsonObject;
  readonly host: string | null;
  readonly labels: readonly string[];
  /** time of the object's newest point, ms since 1970 */
  readonly last_update_time: number;
  /** ports on which the process listens, as a JSON list */
  readonly listen_ports: string | null;
  /** memory usage in percent */
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
  /** resident memory in bytes */
  readonly rss: number | null;
  /** time at which the process was started, in ms since 1970 */
  readonly start_time: number | null;
  /** seconds since the process was started */
  readonly started_duration: number | null;
  /** state of the process, as Linux reports it */
  readonly state: string | null;
  readonly state_zombie: boolean | null;
  /** tags of the object that are not returned as separate members */
  readonly tags: { readonly [name: string]: string };
  readonly threads: number | null;
  readonly username: string | null;
  /** identifier: object_ and 32 hexadecimal digits, computed from workspace and name */
  readonly uuid: string;
  /** virtual memory in bytes */
  readonly vms: number | null;
  readonly voluntary_ctxt_switches: number | null;
  readonly work_directory: string | null;
};

export type QueryDataBody = {
  /** 1 to 50 queries */
  readonly queries: readonly ({
    readonly qtype?: "dql";
    readonly query: {
      /** the DQL statement */
      readonly q: string;
      /** time range of the query: [start] or [start, end], ms since 1970 */
      readonly timeRange?: readonly number[];
      /** maximum number of rows in a series; 0 counts as absent */
      readonly limit?: number;
      /** number of rows skipped at the start of each series; 0 counts as absent */
      readonly offset?: number;
      /** maximum number of series; 0 counts as absent */
      readonly slimit?: number;
      /** number of series skipped at the start; 0 counts as absent */
      readonly soffset?: number;
      /** sort order, such as [{"time":"desc"}] */
      readonly orderby?: readonly JsonObject[];
      /** sort order, such as [{"time":"desc"}] */
      readonly sorder_by?: readonly JsonObject[];
      /** search_after of the previous page's answer; [] for the first page */
      readonly search_after?: readonly Json[];
      /** number of points in a time series; overrides interval and density; 0 counts as absent */
      readonly maxPointCount?: number;
      /** seconds between the points of a time series; 0 counts as absent */
      readonly interval?: number;
      /** number of points in a time series: lower 60, low 180, medium 360, high 720 */
      readonly density?: "lower" | "low" | "medium" | "high";
      /** true: allows only one column besides the time */
      readonly disableMultipleField?: boolean;
      /** true: adds a column that shows where a filter has matched */
      readonly highlight?: boolean;
      /** time zone, such as Europe/Berlin */
      readonly tz?: string;
      /** format of the answer: json for series, lineprotocol for points in base64, csv for one table */
      readonly output_format?: "json" | "lineprotocol" | "csv";
    };
  })[];
  readonly fieldTagDescNeeded?: boolean;
};

export type QueryDataAnswer = {
  readonly data: readonly ({
    readonly series: readonly {
      /** measurement of the series; only for metrics */
      readonly name?: string;
      /** values of the BY clause that identify the series */
      readonly tags?: { readonly [name: string]: string };
      /** names of the columns, with the time first */
      readonly columns: readonly string[];
      /** rows, each with a value for every column */
      readonly values: readonly (readonly Json[])[];
      /** unit of each column; null: unknown */
      readonly units: readonly Json[];
    }[] | null;
    readonly points: readonly string[] | null;
    /** with output_format csv: one table of all series */
    readonly csv?: string;
    /** warnings about rows left out by a limit and doubtful parts of the query */
    readonly query_warning?: string;
    /** names of all columns except the time */
    readonly column_names: readonly string[];
    /** duration of the query, such as 3.2ms */
    readonly cost: string;
    readonly is_running: boolean;
    readonly async_id: string;
    /** number of points that match the query */
    readonly total_hits?: number;
    readonly group_by?: readonly string[];
    /** the value of search_after in the request for the next page */
    readonly search_after?: readonly Json[];
    /** namespace, sources, fields and functions of the DQL statement */
    readonly query_parse?: JsonObject;
    readonly complete?: boolean;
    readonly next_cursor_time?: number;
    /** milliseconds between the points of a time series; 0: no time series */
    readonly interval?: number;
    readonly window?: number;
  })[];
};

export type ListPipelinesQuery = {
  /** text that the name must contain, ignoring case; empty = all */
  readonly search?: string;
  /** only pipelines of these categories, separated by commas */
  readonly categories?: readonly string[];
  /** number of the page, counted from 1 */
  readonly pageIndex?: number;
  /** maximum number of rows on a page */
  readonly pageSize?: number;
};

export type ListPipelinesRow = {
  /** file name of the script, without the extension .p */
  readonly name: string;
  /** category of the points that the script processes */
  readonly category: "metric" | "network" | "keyevent" | "object" | "custom_object" | "logging" | "tracing" | "rum" | "security" | "profiling";
  /** the script, in base64 */
  readonly content: string;
  /** test data for the script: a JSON list in base64 */
  readonly testData: string;
  /** names of the points that the script processes, in addition to points named like the script */
  readonly source: readonly string[];
  /** 1: the script processes all points of the category that have no script of their own */
  readonly asDefault: 0 | 1;
  /** any JSON object; the platform only stores it */
  readonly extend: JsonObject;
  /** time of creation, in seconds since 1970 */
  readonly createAt: number;
  /** the API key that created the object */
  readonly creator: string;
  readonly creatorInfo: {
    readonly email: string;
    readonly iconUrl: string;
    readonly name: string;
    readonly username: string;
  };
  /** time of the deletion, in seconds since 1970; -1 while the object exists */
  readonly deleteAt: number;
  /** number of the database row */
  readonly id: number;
  /** time of the last change, in seconds since 1970 */
  readonly updateAt: number;
  /** the API key that changed the object last */
  readonly updator: string;
  readonly updatorInfo: {
    readonly email: string;
    readonly iconUrl: string;
    readonly name: string;
    readonly username: string;
  };
  /** identifier: pl_ and 32 hexadecimal digits */
  readonly uuid: string;
  /** identifier of the object's workspace */
  readonly workspaceUUID: string;
  /** status of the pipeline: 0 enabled, 2 disabled */
  readonly status: 0 | 2;
};

export type AddPipelineBody = {
  /** file name of the script, without the extension .p */
  readonly name: string;
  /** category of the points that the script processes */
  readonly category: "metric" | "network" | "keyevent" | "object" | "custom_object" | "logging" | "tracing" | "rum" | "security" | "profiling";
  /** the script, in base64 */
  readonly content: string;
  /** test data for the script: a JSON list in base64 */
  readonly testData?: string;
  /** names of the points that the script processes, in addition to points named like the script */
  readonly source?: readonly string[];
  /** 1: the script processes all points of the category that have no script of their own */
  readonly asDefault?: 0 | 1;
  /** true: replaces the category's present default script */
  readonly isForce?: boolean;
  /** any JSON object; the platform only stores it */
  readonly extend?: JsonObject;
};

export type ModifyPipelineBody = {
  /** file name of the script, without the extension .p */
  readonly name?: string;
  /** category of the points that the script processes */
  readonly category?: "metric" | "network" | "keyevent" | "object" | "custom_object" | "logging" | "tracing" | "rum" | "security" | "profiling";
  /** the script, in base64 */
  readonly content?: string;
  /** test data for the script: a JSON list in base64 */
  readonly testData?: string;
  /** names of the points that the script processes, in addition to points named like the script */
  readonly source?: readonly string[];
  /** 1: the script processes all points of the category that have no script of their own */
  readonly asDefault?: 0 | 1;
  /** true: replaces the category's present default script */
  readonly isForce?: boolean;
  /** any JSON object; the platform only stores it */
  readonly extend?: JsonObject;
};

export type DeletePipelinesBody = {
  /** identifiers of pipelines */
  readonly pipelineUUIDs: readonly string[];
};

export type DisablePipelinesBody = {
  /** true: disables pipelines; false: enables them */
  readonly isDisable: boolean;
  /** identifiers of pipelines */
  readonly pipelineUUIDs: readonly string[];
};

export type ExportPipelinesQuery = {
  /** identifiers of pipelines, separated by commas; default: all */
  readonly pipelineUUIDs?: readonly string[];
};

export type ExportPipelinesAnswer = {
  readonly pipelines: readonly ({
    /** file name of the script, without the extension .p */
    readonly name: string;
    /** category of the points that the script processes */
    readonly category: "metric" | "network" | "keyevent" | "object" | "custom_object" | "logging" | "tracing" | "rum" | "security" | "profiling";
    /** the script, in base64 */
    readonly content: string;
    /** test data for the script: a JSON list in base64 */
    readonly testData?: string;
    /** names of the points that the script processes, in addition to points named like the script */
    readonly source?: readonly string[];
    /** 1: the script processes all points of the category that have no script of their own */
    readonly asDefault?: 0 | 1;
    readonly status?: 0 | 2;
    /** any JSON object; the platform only stores it */
    readonly extend?: JsonObject;
  })[];
};

export type ExportChosenPipelinesBody = {
  /** identifiers of pipelines */
  readonly pipelineUUIDs?: readonly string[];
};

export type ImportPipelinesBody = {
  /** 1 to 1000 pipelines */
  readonly pipelines: readonly ({
    /** file name of the script, without the extension .p */
    readonly name: string;
    /** category of the points that the script processes */
    readonly category: "metric" | "network" | "keyevent" | "object" | "custom_object" | "logging" | "tracing" | "rum" | "security" | "profiling";
    /** the script, in base64 */
    readonly content: string;
    /** test data for the script: a JSON list in base64 */
    readonly testData?: string;
    /** names of the points that the script processes, in addition to points named like the script */
    readonly source?: readonly string[];
    /** 1: the script processes all points of the category that have no script of their own */
    readonly asDefault?: 0 | 1;
    readonly status?: 0 | 2;
    /** any JSON object; the platform only stores it */
    readonly extend?: JsonObject;
  })[];
  /** true: replaces the categories' present default scripts */
  readonly isForce?: boolean;
};

export type ImportPipelinesAnswer = {
  readonly data: readonly ({
    /** file name of the script, without the extension .p */
    readonly name: string;
    /** category of the points that the script processes */
    readonly category: "metric" | "network" | "keyevent" | "object" | "custom_object" | "logging" | "tracing" | "rum" | "security" | "profiling";
    /** the script, in base64 */
    readonly content: string;
    /** test data for the script: a JSON list in base64 */
    readonly testData: string;
    /** names of the points that the script processes, in addition to points named like the script */
    readonly source: readonly string[];
    /** 1: the script processes all points of the category that have no script of their own */
    readonly asDefault: 0 | 1;
    /** any JSON object; the platform only stores it */
    readonly extend: JsonObject;
    /** time of creation, in seconds since 1970 */
    readonly createAt: number;
    /** the API key that created the object */
    readonly creator: string;
    readonly creatorInfo: {
      readonly email: string;
      readonly iconUrl: string;
      readonly name: string;
      readonly username: string;
    };
    /** time of the deletion, in seconds since 1970; -1 while the object exists */
    readonly deleteAt: number;
    /** number of the database row */
    readonly id: number;
    /** time of the last change, in seconds since 1970 */
    readonly updateAt: number;
    /** the API key that changed the object last */
    readonly updator: string;
    readonly updatorInfo: {
      readonly email: string;
      readonly iconUrl: string;
      readonly name: string;
      readonly username: string;
    };
    /** identifier: pl_ and 32 hexadecimal digits */
    readonly uuid: string;
    /** identifier of the object's workspace */
    readonly workspaceUUID: string;
    /** status of the pipeline: 0 enabled, 2 disabled */
    readonly status: 0 | 2;
  })[];
};

export type ListBlacklistsQuery = {
  /** text that the name must contain, ignoring case; empty = all */
  readonly search?: string;
  /** category of the points to drop */
  readonly type?: "metric" | "network" | "keyevent" | "object" | "custom_object" | "logging" | "tracing" | "rum" | "security" | "profiling";
  /** number of the page, counted from 1 */
  readonly pageIndex?: number;
  /** maximum number of rows on a page */
  readonly pageSize?: number;
};

export type ListBlacklistsRow = {
  readonly name: string;
  /** category of the points to drop */
  readonly type: "metric" | "network" | "keyevent" | "object" | "custom_object" | "logging" | "tracing" | "rum" | "security" | "profiling";
  /** source of the points to drop, such as a log source; empty = all */
  readonly source: string;
  /** conditions that select points; an empty list selects all */
  readonly filters: readonly ({
    /** name of the tag or field that is compared */
    readonly name: string;
    /** type of the comparison; match and not_match use regular expressions */
    readonly operation: "in" | "not_in" | "match" | "not_match";
    /** logical operator between this filter and the previous one */
    readonly condition: "and" | "or";
    /** values or regular expressions to compare with the tag or field */
    readonly value: readonly string[];
  })[];
  /** time of creation, in seconds since 1970 */
  readonly createAt: number;
  /** the API key that created the object */
  readonly creator: string;
  readonly creatorInfo: {
    readonly email: string;
    readonly iconUrl: string;
    readonly name: string;
    readonly username: string;
  };
  /** time of the deletion, in seconds since 1970; -1 while the object exists */
  readonly deleteAt: number;
  /** number of the database row */
  readonly id: number;
  /** time of the last change, in seconds since 1970 */
  readonly updateAt: number;
  /** the API key that changed the object last */
  readonly updator: string;
  readonly updatorInfo: {
    readonly email: string;
    readonly iconUrl: string;
    readonly name: string;
    readonly username: string;
  };
  /** identifier: blist_ and 32 hexadecimal digits */
  readonly uuid: string;
  /** identifier of the object's workspace */
  readonly workspaceUUID: string;
  /** the blacklist as one condition in the filter language; agents drop matching points */
  readonly conditions: string;
};

export type AddBlacklistBody = {
  /** category of the points to drop */
  readonly type: "metric" | "network" | "keyevent" | "object" | "custom_object" | "logging" | "tracing" | "rum" | "security" | "profiling";
  /** source of the points to drop, such as a log source; empty = all */
  readonly source?: string;
  readonly name?: string;
  /** conditions that select points; an empty list selects all */
  readonly filters?: readonly ({
    /** name of the tag or field that is compared */
    readonly name: string;
    /** type of the comparison; match and not_match use regular expressions */
    readonly operation: "in" | "not_in" | "match" | "not_match";
    /** logical operator between this filter and the previous one */
    readonly condition: "and" | "or";
    /** values or regular expressions to compare with the tag or field */
    readonly value: readonly string[];
  })[];
};

export type ModifyBlacklistBody = {
  /** category of the points to drop */
  readonly type?: "metric" | "network" | "keyevent" | "object" | "custom_object" | "logging" | "tracing" | "rum" | "security" | "profiling";
  /** source of the points to drop, such as a log source; empty = all */
  readonly source?: string;
  readonly name?: string;
  /** conditions that select points; an empty list selects all */
  readonly filters?: readonly ({
    /** name of the tag or field that is compared */
    readonly name: string;
    /** type of the comparison; match and not_match use regular expressions */
    readonly operation: "in" | "not_in" | "match" | "not_match";
    /** logical operator between this filter and the previous one */
    readonly condition: "and" | "or";
    /** values or regular expressions to compare with the tag or field */
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
    /** category of the points to drop */
    readonly type: "metric" | "network" | "keyevent" | "object" | "custom_object" | "logging" | "tracing" | "rum" | "security" | "profiling";
    /** source of the points to drop, such as a log source; empty = all */
    readonly source?: string;
    readonly name?: string;
    /** conditions that select points; an empty list selects all */
    readonly filters?: readonly ({
      /** name of the tag or field that is compared */
      readonly name: string;
      /** type of the comparison; match and not_match use regular expressions */
      readonly operation: "in" | "not_in" | "match" | "not_match";
      /** logical operator between this filter and the previous one */
      readonly condition: "and" | "or";
      /** values or regular expressions to compare with the tag or field */
      readonly value: readonly string[];
    })[];
  })[];
};

export type ImportBlacklistsAnswer = {
  readonly data: readonly ({
    readonly name: string;
    /** category of the points to drop */
    readonly type: "metric" | "network" | "keyevent" | "object" | "custom_object" | "logging" | "tracing" | "rum" | "security" | "profiling";
    /** source of the points to drop, such as a log source; empty = all */
    readonly source: string;
    /** conditions that select points; an empty list selects all */
    readonly filters: readonly ({
      /** name of the tag or field that is compared */
      readonly name: string;
      /** type of the comparison; match and not_match use regular expressions */
      readonly operation: "in" | "not_in" | "match" | "not_match";
      /** logical operator between this filter and the previous one */
      readonly condition: "and" | "or";
      /** values or regular expressions to compare with the tag or field */
      readonly value: readonly string[];
    })[];
    /** time of creation, in seconds since 1970 */
    readonly createAt: number;
    /** the API key that created the object */
    readonly creator: string;
    readonly creatorInfo: {
      readonly email: string;
      readonly iconUrl: string;
      readonly name: string;
      readonly username: string;
    };
    /** time of the deletion, in seconds since 1970; -1 while the object exists */
    readonly deleteAt: number;
    /** number of the database row */
    readonly id: number;
    /** time of the last change, in seconds since 1970 */
    readonly updateAt: number;
    /** the API key that changed the object last */
    readonly updator: string;
    readonly updatorInfo: {
      readonly email: string;
      readonly iconUrl: string;
      readonly name: string;
      readonly username: string;
    };
    /** identifier: blist_ and 32 hexadecimal digits */
    readonly uuid: string;
    /** identifier of the object's workspace */
    readonly workspaceUUID: string;
    /** the blacklist as one condition in the filter language; agents drop matching points */
    readonly conditions: string;
  })[];
};

export type ListReplaysQuery = {
  /** number of the page, counted from 1 */
  readonly pageIndex?: number;
  /** maximum number of rows on a page */
  readonly pageSize?: number;
};

export type ListReplaysRow = {
  /** size of all parts, in bytes */
  readonly bytes: number;
  /** time when the platform received the first part of the session, in ms since 1970 */
  readonly firstAt: number;
  /** time when the platform received the newest part of the session, in ms since 1970 */
  readonly lastAt: number;
  /** number of parts; each upload is one part */
  readonly parts: number;
  /** identifier of the session: session_id of the uploads */
  readonly session: string;
};

export type ListReplayPartsRow = {
  /** time when the part arrived, in ms since 1970 */
  readonly at: number;
  readonly bytes: number;
  readonly uuid: string;
};

export type GetReplayPartQuery = {
  /** uuid of the part; default: the first part of the session */
  readonly part?: string;
};

export type GetReplayPartAnswer = {
  /** time when the part arrived, in ms since 1970 */
  readonly at: number;
  readonly bytes: number;
  readonly uuid: string;
  /** the multipart form as it was sent, decompressed, in base64 */
  readonly body: string;
  /** Content-Type of the multipart form, with its boundary */
  readonly contentType: string;
  /** the values of the form that are not files, by name */
  readonly values: { readonly [name: string]: string };
};

export type ListChangesQuery = {
  /** identifier of an object; only changes of this object are listed */
  readonly uuid?: string;
  /** number of the page, counted from 1 */
  readonly pageIndex?: number;
  /** maximum number of rows on a page */
  readonly pageSize?: number;
};

export type ListChangesRow = {
  /** the action: create, modify, import, delete */
  readonly action: string;
  /** the API key that made the change, or `command line` */
  readonly actor: string;
  /** time of the change, in ms since 1970 */
  readonly at: number;
  /** changed members by name, each with the old and the new value */
  readonly change: JsonObject;
  /** number of the database row */
  readonly id: number;
  /** kind of the changed object: dashboard, tag, key, ... */
  readonly kind: string;
  /** trace id of the request; empty for the command line */
  readonly traceId: string;
  /** identifier of the changed object */
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

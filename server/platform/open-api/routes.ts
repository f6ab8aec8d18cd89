// All routes of the Open API.

import { accessKeyRoutes } from "./access/access-key.ts";
import { auditRoutes } from "./access/audit.ts";
import { validateKeyRoutes } from "./access/validate-key.ts";
import { workspaceRoutes } from "./access/workspace.ts";
import { blacklistRoutes } from "./blacklists/blacklist.ts";
import { dashboardRoutes } from "./dashboards/dashboard.ts";
import { dashboardTransferRoutes } from "./dashboards/dashboard-transfer.ts";
import { dqlQueryRoutes } from "./dql-query.ts";
import { objectHostRoutes } from "./objects/object-host.ts";
import { objectProcessRoutes } from "./objects/object-process.ts";
import { pipelineRoutes } from "./pipelines/pipeline.ts";
import { pipelineSetRoutes } from "./pipelines/pipeline-sets.ts";
import type { Route } from "./protocol/route.ts";
import { replayRoutes } from "./replay.ts";

export const routes: readonly Route[] = [
  ...validateKeyRoutes,
  ...accessKeyRoutes,
  ...workspaceRoutes,
  ...dashboardRoutes,
  ...dashboardTransferRoutes,
  ...objectHostRoutes,
  ...objectProcessRoutes,
  ...dqlQueryRoutes,
  ...pipelineRoutes,
  ...pipelineSetRoutes,
  ...blacklistRoutes,
  ...replayRoutes,
  ...auditRoutes,
];

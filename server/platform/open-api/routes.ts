// All routes of the Open API.

import { accessKeyRoutes } from "./access-key.ts";
import { auditRoutes } from "./audit.ts";
import { blacklistRoutes } from "./blacklist.ts";
import { dashboardRoutes } from "./dashboard.ts";
import { dashboardTransferRoutes } from "./dashboard-transfer.ts";
import { dqlQueryRoutes } from "./dql-query.ts";
import { objectHostRoutes } from "./object-host.ts";
import { objectProcessRoutes } from "./object-process.ts";
import { pipelineRoutes } from "./pipeline.ts";
import { pipelineSetRoutes } from "./pipeline-sets.ts";
import { replayRoutes } from "./replay.ts";
import type { Route } from "./route.ts";
import { validateKeyRoutes } from "./validate-key.ts";
import { workspaceRoutes } from "./workspace.ts";

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

// All routes of the Open API.

import { auditRoutes } from "./audit.ts";
import { dashboardRoutes } from "./dashboard.ts";
import { dashboardTransferRoutes } from "./dashboard-transfer.ts";
import type { Route } from "./route.ts";
import { validateKeyRoutes } from "./validate-key.ts";

export const routes: readonly Route[] = [
  ...validateKeyRoutes,
  ...dashboardRoutes,
  ...dashboardTransferRoutes,
  ...auditRoutes,
];

// All routes of the Open API.

import { dashboardRoutes } from "./dashboard.ts";
import type { Route } from "./route.ts";
import { validateKeyRoutes } from "./validate-key.ts";

export const routes: readonly Route[] = [...validateKeyRoutes, ...dashboardRoutes];

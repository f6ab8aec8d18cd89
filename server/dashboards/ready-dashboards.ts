// Finds a ready dashboard by its name.

import { databaseDashboards } from "./databases.ts";
import { ownDashboards } from "./own-metrics.ts";
import { programDashboards } from "./programs.ts";
import type { DashboardTemplate, ReadyDashboard } from "./template.ts";
import { webServerDashboards } from "./web-servers.ts";

const all: readonly ReadyDashboard[] = [
  ...ownDashboards,
  ...webServerDashboards,
  ...databaseDashboards,
  ...programDashboards,
];

/** The name and the title of each ready dashboard, and the points that it needs. */
export const readyDashboards: readonly Omit<ReadyDashboard, "template">[] = all.map(({ name, title, needs }) => ({
  name,
  title,
  needs,
}));

/** Returns the template of a ready dashboard, or undefined for an unknown name. */
export function readyDashboard(name: string): DashboardTemplate | undefined {
  return all.find((each) => each.name === name)?.template;
}

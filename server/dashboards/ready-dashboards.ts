// Lists the bundled dashboards and finds one of them by its name.

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

/** The name and the title of each bundled dashboard, and a text that says which points the dashboard needs. */
export const readyDashboards: readonly Omit<ReadyDashboard, "template">[] = all.map(({ name, title, needs }) => ({
  name,
  title,
  needs,
}));

/** Returns the template of a bundled dashboard, or undefined when no dashboard has the name. */
export function readyDashboard(name: string): DashboardTemplate | undefined {
  return all.find((each) => each.name === name)?.template;
}

// The format of a bundled dashboard, and functions that make its charts. The Open API exports and imports
// dashboards in the same format (docs/reference/open-api.md#dashboards). The queries contain no time range,
// because the program that draws the charts chooses the time range.

export interface ReadyDashboard {
  /** The name of the dashboard in commands and URLs, such as `nginx`. */
  readonly name: string;
  readonly title: string;
  /** Text that says which points the charts need, and which program or script makes them. */
  readonly needs: string;
  readonly template: DashboardTemplate;
}

export interface DashboardTemplate {
  readonly title: string;
  readonly summary: string;
  readonly main: {
    readonly type: "template";
    readonly groups: readonly string[];
    readonly vars: readonly never[];
    readonly charts: readonly Chart[];
  };
}

export interface Chart {
  readonly name: string;
  readonly type: ChartType;
  /** The position and size of the chart on a grid of 24 columns. */
  readonly pos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly group: { readonly name: string | null };
  readonly queries: readonly { readonly qtype: "dql"; readonly query: { readonly q: string } }[];
  readonly extend: { readonly settings: Settings };
}

type ChartType = "sequence" | "toplist" | "singlestat" | "table" | "log";

type Settings = Readonly<Record<string, string | boolean>>;

/** A chart without its position on the grid; `dashboard` computes the position. */
type Drawn = Omit<Chart, "pos">;

const gridColumns = 24;
/**
 * Heights of the rows of a dashboard, in units of the grid. `valueRows` is the height of a row in which every chart
 * shows a single value; `chartRows` is the height of any other row.
 */
const chartRows = 9;
const valueRows = 4;

/** Returns a line chart that shows the query `q` over time. */
export function lines(name: string, q: string, units = ""): Drawn {
  return chart(name, "sequence", q, { chartType: "line", ...unitsOf(units) });
}

/** Returns a bar chart that shows the query `q` over time. The bars of different groups are stacked. */
export function bars(name: string, q: string, units = ""): Drawn {
  return chart(name, "sequence", q, { chartType: "bar", showStack: true, ...unitsOf(units) });
}

export function value(name: string, q: string, units = ""): Drawn {
  return chart(name, "singlestat", q, unitsOf(units));
}

export function toplist(name: string, q: string, units = ""): Drawn {
  return chart(name, "toplist", q, unitsOf(units));
}

export function table(name: string, q: string): Drawn {
  return chart(name, "table", q, {});
}

export function logs(name: string, q: string): Drawn {
  return chart(name, "log", q, {});
}

function chart(name: string, type: ChartType, q: string, settings: Settings): Drawn {
  return { name, type, group: { name: null }, queries: [{ qtype: "dql", query: { q } }], extend: { settings } };
}

function unitsOf(units: string): Settings {
  return units === "" ? {} : { units };
}

/** Makes a dashboard from rows of charts. The charts of a row share the width of the grid. */
export function dashboard(
  { name, title, needs }: Omit<ReadyDashboard, "template">,
  rows: readonly (readonly Drawn[])[],
): ReadyDashboard {
  const charts: Chart[] = [];
  let y = 0;
  for (const row of rows) {
    const w = Math.floor(gridColumns / row.length);
    const h = row.every(({ type }) => type === "singlestat") ? valueRows : chartRows;
    for (const [at, each] of row.entries()) charts.push({ ...each, pos: { x: at * w, y, w, h } });
    y += h;
  }
  return {
    ...{ name, title, needs },
    template: { title, summary: needs, main: { type: "template", groups: [], vars: [], charts } },
  };
}

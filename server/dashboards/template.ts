// The format of a ready dashboard, and functions that make its charts: a template as the Open API exports and imports
// it (docs/reference/open-api.md#dashboards). Statements name no time: whoever draws a chart asks for a time range.

export interface ReadyDashboard {
  /** The name in commands and URLs, such as `nginx`. */
  readonly name: string;
  readonly title: string;
  /** The points that the charts ask for, and what makes them. */
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
  /** The place on a grid of 24 columns. */
  readonly pos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly group: { readonly name: string | null };
  readonly queries: readonly { readonly qtype: "dql"; readonly query: { readonly q: string } }[];
  readonly extend: { readonly settings: Readonly<Record<string, string>> };
}

type ChartType = "sequence" | "toplist" | "singlestat" | "table" | "log";

/** A chart without its place. */
type Drawn = Omit<Chart, "pos">;

const gridColumns = 24;
const chartRows = 9;

/** `sequence` draws a statement over time as `chartType`. */
export function lines(name: string, q: string, units = ""): Drawn {
  return chart(name, "sequence", q, { chartType: "line", ...unitsOf(units) });
}

export function bars(name: string, q: string, units = ""): Drawn {
  return chart(name, "sequence", q, { chartType: "bar", ...unitsOf(units) });
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

function chart(name: string, type: ChartType, q: string, settings: Readonly<Record<string, string>>): Drawn {
  return { name, type, group: { name: null }, queries: [{ qtype: "dql", query: { q } }], extend: { settings } };
}

function unitsOf(units: string): Readonly<Record<string, string>> {
  return units === "" ? {} : { units };
}

/** Makes a dashboard of rows of charts; the charts of a row share its width. */
export function dashboard(
  { name, title, needs }: Omit<ReadyDashboard, "template">,
  rows: readonly (readonly Drawn[])[],
): ReadyDashboard {
  const charts = rows.flatMap((row, at) =>
    row.map((each, index): Chart => {
      const w = Math.floor(gridColumns / row.length);
      return { ...each, pos: { x: index * w, y: at * chartRows, w, h: chartRows } };
    }),
  );
  return {
    ...{ name, title, needs },
    template: { title, summary: needs, main: { type: "template", groups: [], vars: [], charts } },
  };
}

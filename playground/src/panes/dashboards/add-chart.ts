// Puts a chart on a dashboard of the platform.

import type { Api } from "./api.ts";
import { freePlace, type Place } from "./layout.ts";
import { addChart, type ChartText, chartsOf, type Template } from "./template.ts";

/**
 * Returns the first place on a dashboard that has room for a chart: its position and size, in columns and rows of the
 * dashboard's grid.
 */
export function placeOfChart({ kind }: Pick<ChartText, "kind">, taken: readonly Place[]): Place {
  const isWide = kind === "logs" || kind === "table";
  const size = kind === "value" ? { w: 6, h: 6 } : isWide ? { w: 24, h: 9 } : { w: 12, h: 9 };
  return freePlace(taken, size.w, size.h);
}

function withChart(template: Template, text: ChartText): Template {
  const taken = chartsOf(template).map(({ place }) => place);
  return addChart(template, text, placeOfChart(text, taken));
}

/** Adds a chart to a dashboard. Throws ApiFault when the platform refuses it; nothing is changed then. */
export async function addChartTo(api: Api, uuid: string, text: ChartText): Promise<void> {
  const { template, version } = await api.open(uuid);
  await api.replace(uuid, withChart(template, text), version);
}

/** Makes a dashboard with one chart, and returns its identifier. Throws ApiFault when the platform refuses it. */
export function createWithChart(api: Api, name: string, text: ChartText): Promise<string> {
  return api.create(name, JSON.stringify(withChart({ title: name }, text)));
}

// Draws a chart with uPlot. This file and uPlot's stylesheet are loaded when the first chart is shown.

import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { Zone } from "../../../../lib/time/index.ts";
import { tickSteps, tickTexts, timeTicks } from "../time/zoned-time.ts";
import {
  axisText,
  barsOf,
  type ChartLine,
  type ChartStyle,
  colourAt,
  colours,
  columnsOf,
  type LineColour,
  type Span,
  unbroken,
} from "./chart-lines.ts";

export interface PlotInput {
  readonly lines: readonly ChartLine[];
  readonly style: ChartStyle;
  /** For each line, whether the chart shows it. */
  readonly shown: readonly boolean[];
  /** The time range of the chart in milliseconds; null for the time range of its points. */
  readonly range: { readonly from: number; readonly to: number } | null;
  /**
   * Name of a group of charts; null for none. When the pointer is over one chart of the group, all its charts show
   * their values at the time under the pointer.
   */
  readonly group: string | null;
  /** The zone of the times on the axis. */
  readonly zone: Zone;
}

export interface PlotEvents {
  /**
   * Called when the pointer moves, with the index in `times` of the time under the pointer; null when the pointer has
   * left the chart.
   */
  place(index: number | null): void;
  /** Called with the time range that the user dragged over. When absent, dragging does nothing. */
  readonly zoom: ((from: number, to: number) => void) | undefined;
}

export interface Plot {
  readonly times: readonly number[];
  /** For each line of the chart, its values at the times in `times`. */
  readonly values: readonly (readonly (number | null)[])[];
  /** Moves the pointer of the chart to the time at index `index`; null removes the pointer. */
  moveTo(index: number | null): void;
  resize(width: number, height: number): void;
  /** Draws the chart again, for example after the user changed the colours of the page. */
  redraw(): void;
  destroy(): void;
}

/** Patterns of dashes, so that users can distinguish lines without colours. */
const dashes: readonly number[][] = [[], [7, 3], [2, 3], [9, 3, 2, 3], [4, 2], [12, 4], [1, 4], [6, 2, 1, 2, 1, 2]];
/** A movement of the pointer by fewer pixels than this counts as a click and not as dragging. */
const leastDrag = 6;

/**
 * The events of uPlot that the charts of a group share. The charts share the position of the pointer, but not
 * the time range that the user drags over.
 */
const pointerOnly = { pub: (type: string) => type === "mousemove" || type === "mouseleave", sub: () => true };

/** Returns a colour in the form that the canvas needs. Called each time the chart is drawn. */
type ColourOf = (name: LineColour | "grid" | "text") => string;

/** The columns of a chart: times, and for each line its values at these times. */
interface Columns {
  readonly times: readonly number[];
  readonly values: readonly (readonly (number | null)[])[];
  /** For each line, its bars; null for a chart of lines. */
  readonly bars: readonly (readonly (Span | null)[])[] | null;
  /** The times, and for each line the values that uPlot draws. */
  readonly data: uPlot.AlignedData;
}

/** Draws a chart into an element. */
export function plotInto(element: HTMLElement, input: PlotInput, events: PlotEvents, colourOf: ColourOf): Plot {
  const columns = columnsFor(input);
  const { times, values, bars, data } = columns;
  const options: uPlot.Options = {
    width: Math.max(60, element.clientWidth),
    height: Math.max(60, element.clientHeight),
    ms: 1,
    legend: { show: false },
    padding: [8, 12, 0, 0],
    scales: {
      x: { time: true, range: () => xRange(times, input) },
      y: { range: (_, low, high) => yRange(low, high, bars !== null) },
    },
    axes: axesFor(input, colourOf),
    series: seriesFor(input, columns, colourOf),
    cursor: {
      y: false,
      points: { show: bars === null },
      drag: { x: events.zoom !== undefined, y: false, setScale: false, dist: leastDrag },
      ...(input.group === null
        ? {}
        : { sync: { key: input.group, setSeries: false, scales: ["x", null], filters: pointerOnly } }),
    },
    hooks: {
      setCursor: [({ cursor }) => events.place(cursor.idx ?? null)],
      setSelect: [(plot) => zoomToSelection(plot, events)],
    },
  };
  const plot = new uPlot(options, data, element);
  return {
    times,
    values,
    moveTo: (index) => {
      const time = index === null ? undefined : times[index];
      // uPlot's types omit the last parameter of `setCursor`, which moves the pointers of the other charts in the
      // group.
      const move = plot.setCursor as (to: { left: number; top: number }, fire: boolean, publish: boolean) => void;
      if (time === undefined) move({ left: -10, top: -10 }, true, true);
      else move({ left: plot.valToPos(time, "x"), top: plot.over.clientHeight / 2 }, true, true);
    },
    resize: (width, height) => plot.setSize({ width: Math.max(60, width), height: Math.max(60, height) }),
    redraw: () => plot.redraw(false),
    destroy: () => plot.destroy(),
  };
}

function columnsFor({ lines, shown, style }: PlotInput): Columns {
  const { times, values } = columnsOf(lines);
  const visible = values.map((column, at) => (shown[at] === true ? column : column.map(() => null)));
  const bars = style === "lines" ? null : barsOf(visible, style === "stacked");
  const drawn =
    bars === null
      ? visible.map((column) => unbroken(times, column))
      : bars.map((column) => column.map((each) => each?.to ?? null));
  return { times, values, bars, data: [times, ...drawn] as uPlot.AlignedData };
}

function axesFor({ zone }: PlotInput, colourOf: ColourOf): uPlot.Axis[] {
  const axis: uPlot.Axis = {
    stroke: () => colourOf("text"),
    grid: { stroke: () => colourOf("grid"), width: 1 },
    ticks: { show: false },
    font: "12px sans-serif",
  };
  return [
    {
      ...axis,
      space: 80,
      size: 34,
      incrs: [...tickSteps],
      splits: (_plot, _axis, from, to, step) => timeTicks(from, to, step, zone),
      values: (_, ticks) => tickTexts(ticks, zone),
    },
    { ...axis, size: 56, values: (_, ticks) => ticks.map(axisText) },
  ];
}

/** Returns uPlot's settings for each line of the chart. The first element of the list is for the column of times. */
function seriesFor({ lines, shown, style }: PlotInput, { times, bars }: Columns, colourOf: ColourOf): uPlot.Series[] {
  const isStacked = style === "stacked";
  const barsSideBySide = isStacked ? 1 : Math.max(1, shown.filter(Boolean).length);
  const series = lines.map((line, at): uPlot.Series => {
    const stroke = () => colourOf(colourAt(line, at));
    const base = { label: line.label, show: shown[at] === true, stroke };
    if (bars !== null) {
      const order = isStacked ? 0 : shown.slice(0, at).filter(Boolean).length;
      const paths = barPath(bars[at]!, order, barsSideBySide);
      return { ...base, fill: stroke, width: 0, points: { show: false }, paths };
    }
    // A line with few points also shows each point as a dot, because a line of a single point would be invisible.
    const points = { show: times.length <= 60, size: 4, fill: stroke };
    return { ...base, width: 1.8, dash: dashes[at % colours]!, spanGaps: false, points };
  });
  return [{}, ...series];
}

/**
 * Calls `zoom` with the time range that the user has dragged over, and removes the marking of this range from
 * the chart.
 */
function zoomToSelection(plot: uPlot, { zoom }: PlotEvents): void {
  const { left, width } = plot.select;
  if (width < leastDrag || zoom === undefined) return;
  const [from, to] = [plot.posToVal(left, "x"), plot.posToVal(left + width, "x")];
  plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  zoom(Math.floor(from), Math.ceil(to));
}

function xRange(times: readonly number[], { range, style }: PlotInput): [number, number] {
  const [first = 0, last = 1] = [times[0], times.at(-1)];
  // The first and the last bar extend half a bar beyond their times, so the time axis is extended by half a bar at
  // both ends.
  const half = style === "lines" ? 0 : stepOf(times) / 2;
  const [from, to] = [Math.min(range?.from ?? first, first - half), Math.max(range?.to ?? last, last + half)];
  return from < to ? [from, to] : [from - 500, to + 500];
}

function yRange(low: number | null, high: number | null, fromZero: boolean): [number, number] {
  if (low === null || high === null) return [0, 1];
  if (fromZero) {
    const [least, most] = [Math.min(0, low), Math.max(0, high)];
    const room = (most - least || 1) * 0.05;
    return [least < 0 ? least - room : 0, most > 0 || least === 0 ? most + room : 0];
  }
  // The axis of values begins at zero when the smallest value is not far from zero.
  const [from, to] = uPlot.rangeNum(low, high, {
    min: { pad: 0.1, soft: 0, mode: 3 },
    max: { pad: 0.1, soft: 0, mode: 3 },
  });
  return [low >= 0 ? Math.max(0, from ?? 0) : (from ?? 0), to ?? 1];
}

/** Returns the shortest distance in milliseconds between two times. */
function stepOf(times: readonly number[]): number {
  let least = Number.POSITIVE_INFINITY;
  for (let at = 1; at < times.length; at++) least = Math.min(least, times[at]! - times[at - 1]!);
  return Number.isFinite(least) ? least : 1000;
}

/**
 * Returns a function that draws the bars of one line. At each time `count` bars stand side by side; this line's bar is
 * at position `order`.
 */
function barPath(spans: readonly (Span | null)[], order: number, count: number): uPlot.Series.PathBuilder {
  return (plot, _series, first, last) => {
    const fill = new Path2D();
    const times = plot.data[0];
    const step = stepOf(times as number[]);
    const pixels = plot.valToPos(times[0]! + step, "x", true) - plot.valToPos(times[0]!, "x", true);
    const width = Math.max(1, Math.min(pixels * 0.8, 60 * devicePixelRatio) / count);
    for (let at = first; at <= last; at++) {
      const span = spans[at];
      if (span === null || span === undefined) continue;
      const [from, to] = [plot.valToPos(span.from, "y", true), plot.valToPos(span.to, "y", true)];
      const left = plot.valToPos(times[at]!, "x", true) + (order - count / 2) * width;
      fill.rect(left, Math.min(from, to), Math.max(1, width - (width > 4 ? 1 : 0)), Math.max(1, Math.abs(to - from)));
    }
    return { fill, stroke: null, clip: null, band: null, gaps: null, flags: 0 } as unknown as uPlot.Series.Paths;
  };
}

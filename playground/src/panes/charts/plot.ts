// Draws a chart with uPlot. This file and uPlot's stylesheet are loaded when the first chart is shown.

import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import {
  axisText,
  barsOf,
  type ChartLine,
  type ChartStyle,
  colours,
  columnsOf,
  type Span,
  timeTexts,
} from "./chart-lines.ts";

export interface PlotInput {
  readonly lines: readonly ChartLine[];
  readonly style: ChartStyle;
  /** Whether each line is shown, in the order of the lines. */
  readonly shown: readonly boolean[];
  /** The time in milliseconds that the chart covers; null for the time of its points. */
  readonly range: { readonly from: number; readonly to: number } | null;
  /** Charts of the same group show their values at the same time; null for none. */
  readonly group: string | null;
}

export interface PlotEvents {
  /** Called with the index in the times at the pointer; null when the pointer has left the chart. */
  place(index: number | null): void;
  /** Called with the time that was dragged over. Without this function dragging does nothing. */
  readonly zoom: ((from: number, to: number) => void) | undefined;
}

export interface Plot {
  readonly times: readonly number[];
  /** For each line its value at each time. */
  readonly values: readonly (readonly (number | null)[])[];
  /** Moves the pointer of the chart to a time. */
  moveTo(index: number | null): void;
  resize(width: number, height: number): void;
  /** Draws again, for example in the colours of another theme. */
  redraw(): void;
  destroy(): void;
}

/** Dashes by which lines can be told apart without colours. */
const dashes: readonly number[][] = [[], [7, 3], [2, 3], [9, 3, 2, 3], [4, 2], [12, 4], [1, 4], [6, 2, 1, 2, 1, 2]];
/** Shortest distance in pixels that counts as dragging. */
const leastDrag = 6;

/** Charts of a group share the place of the pointer, but not the time that is dragged over. */
const pointerOnly = { pub: (type: string) => type === "mousemove" || type === "mouseleave", sub: () => true };

/** Draws into an element. `colourOf` returns a colour that the canvas understands; it is asked at each drawing. */
export function plotInto(
  element: HTMLElement,
  input: PlotInput,
  events: PlotEvents,
  colourOf: (name: number | "grid" | "text") => string,
): Plot {
  const { times, values } = columnsOf(input.lines);
  const visible = values.map((column, at) => (input.shown[at] === true ? column : column.map(() => null)));
  const spans = input.style === "lines" ? null : barsOf(visible, input.style === "stacked");
  const data = [times, ...(spans === null ? visible : spans.map((column) => column.map((each) => each?.to ?? null)))];
  const drawnBars = input.style === "stacked" ? 1 : Math.max(1, input.shown.filter(Boolean).length);
  const order = input.shown.map((_, at) =>
    input.style === "stacked" ? 0 : input.shown.slice(0, at).filter(Boolean).length,
  );
  const axis = {
    stroke: () => colourOf("text"),
    grid: { stroke: () => colourOf("grid"), width: 1 },
    ticks: { show: false },
  };
  const plot = new uPlot(
    {
      width: Math.max(60, element.clientWidth),
      height: Math.max(60, element.clientHeight),
      ms: 1,
      tzDate: (ms) => uPlot.tzDate(new Date(ms), "UTC"),
      legend: { show: false },
      padding: [8, 12, 0, 0],
      scales: {
        x: { time: true, range: () => xRange(times, input) },
        y: { range: (_, low, high) => yRange(low, high, spans !== null) },
      },
      axes: [
        { ...axis, font: "12px sans-serif", space: 80, size: 34, values: (_, ticks) => timeTexts(ticks) },
        { ...axis, font: "12px sans-serif", size: 56, values: (_, ticks) => ticks.map(axisText) },
      ],
      series: [
        {},
        ...input.lines.map(({ label }, at): uPlot.Series => {
          const stroke = () => colourOf(at % colours);
          const base = { label, show: input.shown[at] === true, stroke };
          if (spans !== null)
            return {
              ...base,
              fill: stroke,
              width: 0,
              points: { show: false },
              paths: barPath(spans[at]!, order[at]!, drawnBars),
            };
          // Points are drawn where a line is short, so that a single value is seen.
          return {
            ...base,
            width: 1.8,
            dash: dashes[at % colours]!,
            spanGaps: false,
            points: { show: times.length <= 60, size: 4, fill: stroke },
          };
        }),
      ],
      cursor: {
        y: false,
        points: { show: spans === null },
        drag: { x: events.zoom !== undefined, y: false, setScale: false, dist: leastDrag },
        ...(input.group === null
          ? {}
          : { sync: { key: input.group, setSeries: false, scales: ["x", null], filters: pointerOnly } }),
      },
      hooks: {
        setCursor: [({ cursor }) => events.place(cursor.idx ?? null)],
        setSelect: [
          (own) => {
            const { left, width } = own.select;
            if (width < leastDrag || events.zoom === undefined) return;
            const [from, to] = [own.posToVal(left, "x"), own.posToVal(left + width, "x")];
            own.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
            events.zoom(Math.floor(from), Math.ceil(to));
          },
        ],
      },
    },
    data as uPlot.AlignedData,
    element,
  );
  return {
    times,
    values,
    moveTo: (index) => {
      const time = index === null ? undefined : times[index];
      // uPlot's types leave out the last parameter, which moves the pointers of the group as well.
      const move = plot.setCursor as (to: { left: number; top: number }, fire: boolean, publish: boolean) => void;
      if (time === undefined) move({ left: -10, top: -10 }, true, true);
      else move({ left: plot.valToPos(time, "x"), top: plot.over.clientHeight / 2 }, true, true);
    },
    resize: (width, height) => plot.setSize({ width: Math.max(60, width), height: Math.max(60, height) }),
    redraw: () => plot.redraw(false),
    destroy: () => plot.destroy(),
  };
}

function xRange(times: readonly number[], { range, style }: PlotInput): [number, number] {
  const [first = 0, last = 1] = [times[0], times.at(-1)];
  // Half a bar stands out on each side.
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
  // The axis begins at zero where the values are near to it.
  const [from, to] = uPlot.rangeNum(low, high, {
    min: { pad: 0.1, soft: 0, mode: 3 },
    max: { pad: 0.1, soft: 0, mode: 3 },
  });
  return [low >= 0 ? Math.max(0, from ?? 0) : (from ?? 0), to ?? 1];
}

/** Returns the shortest time in milliseconds between two bars. */
function stepOf(times: readonly number[]): number {
  let least = Number.POSITIVE_INFINITY;
  for (let at = 1; at < times.length; at++) least = Math.min(least, times[at]! - times[at - 1]!);
  return Number.isFinite(least) ? least : 1000;
}

/** Returns a function that draws the bars of a line, the `order`th of `count` bars that stand side by side. */
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

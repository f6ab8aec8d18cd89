// Draws a chart with its title and legend as a PNG image.

import { t } from "../../text/translate.ts";
import { valueText } from "./chart-lines.ts";

export interface ImageBar {
  readonly label: string;
  readonly value: number;
}

export type ImageContent =
  /** A chart that is on the page, with the colours in which its lines are drawn. */
  | {
      readonly kind: "time";
      readonly canvas: HTMLCanvasElement;
      readonly legend: readonly { readonly label: string; readonly colour: string }[];
    }
  | { readonly kind: "bars"; readonly bars: readonly ImageBar[] }
  | { readonly kind: "value"; readonly label: string; readonly text: string };

/** Colours for the image, in CSS syntax. */
export interface ImageColours {
  readonly paper: string;
  readonly ink: string;
  readonly bar: string;
}

/**
 * Width in pixels of the content of an image that shows bars or a single value, and width of the empty margin on each
 * side of every image.
 */
const [plainWidth, margin] = [900, 16];
const [titleHeight, lineHeight, barHeight] = [36, 22, 28];

/** Returns the image. Throws an Error when the browser cannot make it, for example because it is too large. */
export async function chartImage(title: string, content: ImageContent, colours: ImageColours): Promise<Blob> {
  const scale = content.kind === "time" ? content.canvas.width / Math.max(1, content.canvas.clientWidth) : 2;
  const width = content.kind === "time" ? Math.max(300, content.canvas.clientWidth) : plainWidth;
  const made = document.createElement("canvas");
  const context = made.getContext("2d")!;
  context.font = "13px sans-serif";
  const places = content.kind === "time" ? legendPlaces(context, content.legend, width) : [];
  const height = titleHeight + heightOf(content, places);
  [made.width, made.height] = [Math.round((width + 2 * margin) * scale), Math.round((height + 2 * margin) * scale)];
  context.scale(scale, scale);
  context.fillStyle = colours.paper;
  context.fillRect(0, 0, width + 2 * margin, height + 2 * margin);
  context.translate(margin, margin);
  context.fillStyle = colours.ink;
  context.textBaseline = "middle";
  context.font = "600 13px monospace";
  context.fillText(shortened(context, title.replace(/\s+/g, " "), width), 0, 10);
  context.font = "13px sans-serif";
  context.translate(0, titleHeight);
  if (content.kind === "time") drawTime(context, content, places, colours);
  else if (content.kind === "bars") drawBars(context, content.bars, width, colours);
  else drawValue(context, content, width, colours);
  return new Promise((resolve, reject) =>
    made.toBlob((blob) => (blob === null ? reject(new Error(t("The browser made no image."))) : resolve(blob))),
  );
}

interface Place {
  readonly x: number;
  readonly y: number;
}

function legendPlaces(context: CanvasRenderingContext2D, legend: readonly { label: string }[], width: number): Place[] {
  let [x, y] = [0, 0];
  return legend.map(({ label }) => {
    const own = Math.min(width, context.measureText(label).width + 36);
    if (x > 0 && x + own > width) [x, y] = [0, y + lineHeight];
    const place = { x, y };
    x += own;
    return place;
  });
}

function heightOf(content: ImageContent, places: readonly Place[]): number {
  if (content.kind === "time") return content.canvas.clientHeight + (places.at(-1)?.y ?? 0) + lineHeight;
  return content.kind === "bars" ? content.bars.length * barHeight : 140;
}

function drawTime(
  context: CanvasRenderingContext2D,
  { canvas, legend }: Extract<ImageContent, { kind: "time" }>,
  places: readonly Place[],
  { ink }: ImageColours,
): void {
  context.drawImage(canvas, 0, 0, canvas.clientWidth, canvas.clientHeight);
  for (const [at, { label, colour }] of legend.entries()) {
    const { x, y } = places[at]!;
    const middle = canvas.clientHeight + y + lineHeight / 2;
    context.fillStyle = colour;
    context.fillRect(x, middle - 4, 14, 8);
    context.fillStyle = ink;
    context.fillText(label, x + 20, middle);
  }
}

function drawBars(
  context: CanvasRenderingContext2D,
  bars: readonly ImageBar[],
  width: number,
  { ink, bar }: ImageColours,
): void {
  const [labels, numbers] = [260, 110];
  const largest = Math.max(...bars.map(({ value }) => Math.abs(value)), Number.MIN_VALUE);
  for (const [at, { label, value }] of bars.entries()) {
    const middle = at * barHeight + barHeight / 2;
    context.fillStyle = ink;
    context.fillText(shortened(context, label, labels - 12), 0, middle);
    const length = Math.max(2, ((width - labels - numbers) * Math.abs(value)) / largest);
    context.fillText(valueText(value), labels + length + 8, middle);
    context.fillStyle = bar;
    context.fillRect(labels, middle - 9, length, 18);
  }
}

function drawValue(
  context: CanvasRenderingContext2D,
  { label, text }: Extract<ImageContent, { kind: "value" }>,
  width: number,
  { ink, bar }: ImageColours,
): void {
  context.textAlign = "center";
  context.fillStyle = bar;
  context.font = "600 56px sans-serif";
  context.fillText(text, width / 2, 60);
  context.fillStyle = ink;
  context.font = "13px monospace";
  context.fillText(label, width / 2, 116);
}

function shortened(context: CanvasRenderingContext2D, text: string, width: number): string {
  if (context.measureText(text).width <= width) return text;
  let length = Math.min(text.length, Math.floor(width / 4));
  while (length > 1 && context.measureText(`${text.slice(0, length)}…`).width > width) length--;
  return `${text.slice(0, length)}…`;
}

// Checks that text is readable in both colour schemes: its contrast with each background behind it is at least
// 4.5 (WCAG AA).

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const css = readFileSync(new URL("../../playground/src/base.css", import.meta.url), "utf8");
const colours = new Map(
  Array.from(css.matchAll(/--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);/g), ([, name, light, dark]) => [
    name!,
    { light: light!, dark: dark! },
  ]),
);

const grounds = ["bg", "surface", "raised", "bar"];
const syntax = [...colours.keys()].filter((name) => name.startsWith("syntax-"));
const pairs: readonly (readonly [text: string, ground: string])[] = [
  ...["ink", "ink-2", "ink-3", "accent", "good", "warn", "bad", "violet"].flatMap((text) =>
    grounds.map((ground) => [text, ground] as const),
  ),
  ...syntax.flatMap((text) => ["surface", "raised"].map((ground) => [text, ground] as const)),
  ...["good", "warn", "bad", "violet", "accent"].map((tone) => [tone, `${tone}-soft`] as const),
  ...["ink", "ink-2", "ink-3"].map((text) => [text, "accent-soft"] as const),
  ...["ink", "ink-2", "ink-3"].map((text) => [text, "hover"] as const),
  ["on-accent", "accent"],
  ["on-accent", "accent-strong"],
];

function luminance(hex: string): number {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
}

function contrast(a: string, b: string): number {
  const [dark, light] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (light! + 0.05) / (dark! + 0.05);
}

/**
 * Backgrounds on which input fields lie: panes, menus and bars. The edges of the fields need a contrast of 3 with these
 * backgrounds (WCAG, non-text contrast).
 */
const edges = ["surface", "raised", "bar"];

describe.each(["light", "dark"] as const)("%s", (scheme) => {
  it("has text with a contrast of at least 4.5 on each background", () => {
    const faint = pairs
      .map(([text, ground]) => ({
        text,
        ground,
        ratio: contrast(colours.get(text)![scheme], colours.get(ground)![scheme]),
      }))
      .filter(({ ratio }) => ratio < 4.5)
      .map(({ text, ground, ratio }) => `${text} on ${ground}: ${ratio.toFixed(2)}`);
    expect(faint).toEqual([]);
  });

  it("has input fields with a border whose contrast is at least 3", () => {
    const ratios = edges.map((ground) => contrast(colours.get("line-field")![scheme], colours.get(ground)![scheme]));
    expect(Math.min(...ratios)).toBeGreaterThanOrEqual(3);
    expect(css).toMatch(/^\.field \{[^}]*border: 1px solid var\(--line-field\)/m);
  });
});

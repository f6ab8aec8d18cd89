// Computes the numbers of the coverage gutter from the places (statements and calls of `grok`) that the points of a run
// reached.

import { countText, pluralText, shortCount } from "../state/text.ts";
import { t } from "../text/translate.ts";
import type { PlaceCount } from "../worker/protocol.ts";
import type { LineCount } from "./coverage.ts";

/**
 * Returns the numbers that the coverage gutter shows beside the lines of a script. `points`: number of points in the
 * run of the script. `shares`: for each measured line, its share in the time that the script takes, 0 to 1.
 */
export function lineCounts(
  places: readonly PlaceCount[],
  script: string,
  points: number,
  shares: ReadonlyMap<number, number> = new Map(),
): LineCount[] {
  const lines = new Map<number, PlaceCount[]>();
  for (const place of places) {
    if (place.script !== script || place.ln === 0) continue;
    const line = lines.get(place.ln);
    if (line === undefined) lines.set(place.ln, [place]);
    else line.push(place);
  }
  return [...lines].map(([ln, all]) => {
    const groks = all.filter(({ kind }) => kind === "grok");
    const count = groks.length > 0 ? grokCount(ln, groks) : statementCount(ln, all, points);
    return withHeat(count, shares.get(ln) ?? 0);
  });
}

type Cold = Omit<LineCount, "heat">;

/**
 * A line gets the heat level (strength of colour) 2, 3 or 4 when its share in the time of the script is at least the
 * first, second or third of these numbers.
 */
const heats = [0.05, 0.15, 0.35];

function withHeat(count: Cold, share: number): LineCount {
  if (share < 0.005) return { ...count, heat: 0 };
  const heat = 1 + heats.filter((from) => share >= from).length;
  return {
    ...count,
    heat,
    title: `${count.title}\n${t("{percent} % of the time", { percent: (share * 100).toFixed(1) })}`,
  };
}

function grokCount(ln: number, groks: readonly PlaceCount[]): Cold {
  // When a line has several calls of `grok`, the gutter shows the numbers of only one call: the call with the largest
  // number of points that it did not match.
  const shown = groks.reduce((most, each) => (missedBy(each) > missedBy(most) ? each : most));
  const { script, at, kind, text, points, matched } = shown;
  const missed = points - matched;
  const wants = missed > 0 ? "missed" : "reached";
  const what =
    missed > 0
      ? t("grok matched {n} of {points}. Click (Alt+G) for the other {others}", {
          ...{ n: countText(matched), points: pluralText(points, "point"), others: countText(missed) },
        })
      : t("grok matched all of {points}", { points: pluralText(points, "point") });
  return {
    ln,
    text: `${shortCount(matched)}/${shortCount(points)}`,
    tone: missed > 0 ? "missed" : "matched",
    title: what,
    place: { script, at, kind, text, wants },
  };
}

const missedBy = ({ points, matched }: PlaceCount) => points - matched;

function statementCount(ln: number, all: readonly PlaceCount[], points: number): Cold {
  const most = all.reduce((a, b) => (b.points > a.points ? b : a));
  const { script, at, kind, text } = most;
  const tone = most.points === 0 ? "never" : most.points < points ? "some" : "all";
  const branches = most.branches.map((count, index) =>
    t("branch {n}: {count}", { n: index + 1, count: countText(count ?? 0) }),
  );
  const said = {
    never: t("No point reached this line"),
    some: t("{points} of {all} reached this line. Click (Alt+G) for them", {
      ...{ points: pluralText(most.points, "point"), all: countText(points) },
    }),
    all: t("Every point reached this line"),
  }[tone];
  return {
    ln,
    text: shortCount(most.points),
    tone,
    title: [said, ...branches].join("\n"),
    place: most.points === 0 ? null : { script, at, kind, text, wants: "reached" },
  };
}

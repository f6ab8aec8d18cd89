// Formats the changes that a script has made to a point, one on each line.

import { type Change, shownValue, type TracedPoint } from "../../../lib/index.ts";
import { timeText } from "../../../lib/script-tests/index.ts";

export function changeText(change: Change): string {
  switch (change.kind) {
    case "set": {
      const was = change.before === undefined ? "" : `   (was ${shownValue(change.before)})`;
      return `${change.isTag ? "tag " : ""}${change.key} = ${shownValue(change.value)}${was}`;
    }
    case "removed":
      return `${change.key} removed   (was ${shownValue(change.before)})`;
    case "renamed":
      return `${change.from} renamed to ${change.key}`;
    case "measurement":
      return `measurement = ${JSON.stringify(change.value)}   (was ${JSON.stringify(change.before)})`;
    case "time":
      return `time = ${timeText(change.value)}`;
  }
}

/** Returns a line about a point that the script created with the function `create_point`. */
export function createdText({ category, name, keys }: TracedPoint): string {
  return `created ${category} ${JSON.stringify(name)}: ${keys.map(changeText).join(", ")}`;
}

const longestShown = 200;

/** Returns a line about a call of `grok` whose pattern did not match. */
export function unmatchedText(expression: string): string {
  const shown = expression.length > longestShown ? `${expression.slice(0, longestShown)}...` : expression;
  return `grok does not match: ${shown.replaceAll("\n", "\\n")}`;
}

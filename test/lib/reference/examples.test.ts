// Every example in the tables of docs/reference has the result that the page shows.

import { beforeAll, describe, expect, it } from "vitest";
import rulesPage from "../../../docs/reference/function-rules.md?raw";
import gatewayPage from "../../../docs/reference/gateway.md?raw";
import grokPage from "../../../docs/reference/grok.md?raw";
import languagePage from "../../../docs/reference/language.md?raw";
import pointsPage from "../../../docs/reference/points.md?raw";
import { explainMismatch, suggestGrok } from "../../../lib/grok/index.ts";
import { type CategoryName, createMillrace, type Millrace } from "../../../lib/index.ts";
import { wasmBytes } from "../wasm/load.ts";
import { bodyAnswer, conditionAnswer, grokAnswer, scriptAnswer } from "./answers.ts";
import { rowsUnder } from "./tables.ts";

let mill: Millrace;
beforeAll(async () => {
  mill = await createMillrace({
    wasm: await wasmBytes(),
    timeZone: "UTC",
    clock: () => 1_700_000_000_000_000_000n,
    random: () => 0.5,
  });
});

interface Suite {
  readonly name: string;
  readonly page: string;
  /** The header row of the tables on the page that have the examples of this suite. */
  readonly head: string;
  /**
   * Computes the result of an example from all cells of its row except the last one. The last cell must show this
   * result.
   */
  readonly answer: (cells: readonly string[]) => string;
}

const suites: readonly Suite[] = [
  {
    name: "language.md",
    page: languagePage,
    head: "| Script | Gives |",
    answer: ([script]) => scriptAnswer(mill, script!),
  },
  {
    name: "function-rules.md",
    page: rulesPage,
    head: "| Script | Gives |",
    answer: ([script]) => scriptAnswer(mill, script!),
  },
  {
    name: "grok.md",
    page: grokPage,
    head: "| Script | Input | Gives |",
    answer: ([script, input]) => scriptAnswer(mill, script!, input),
  },
  {
    name: "grok.md",
    page: grokPage,
    head: "| Pattern | Text | Fields |",
    answer: ([pattern, text]) => grokAnswer(pattern!, text!),
  },
  {
    name: "grok.md",
    page: grokPage,
    head: "| Lines | Suggestion |",
    answer: ([lines]) => suggestGrok(lines!.split("\n")).expression,
  },
  {
    name: "grok.md",
    page: grokPage,
    head: "| Expression | Line | First change |",
    answer: ([expression, line]) => explainMismatch(expression!, line!)?.changes[0]?.expression ?? "none",
  },
  {
    name: "points.md",
    page: pointsPage,
    head: "| Line protocol | Gives |",
    answer: ([body]) => bodyAnswer(mill, "lp", body!),
  },
  {
    name: "points.md",
    page: pointsPage,
    head: "| JSON | Gives |",
    answer: ([body]) => bodyAnswer(mill, "json", body!),
  },
  {
    name: "points.md",
    page: pointsPage,
    head: "| Category | Line protocol | Gives |",
    answer: ([category, body]) => bodyAnswer(mill, "lp", body!, category as CategoryName),
  },
  {
    name: "gateway.md",
    page: gatewayPage,
    head: "| Condition | Header | Holds |",
    answer: ([condition, header]) => conditionAnswer(condition!, header!),
  },
];

describe.each(suites)("$name: $head", ({ page, head, answer }) => {
  const rows = rowsUnder(page, head);

  it("has examples", () => {
    expect(rows.length).toBeGreaterThan(2);
  });

  it.each(rows)("line $line", ({ cells }) => {
    expect(answer(cells.slice(0, -1))).toBe(cells.at(-1));
  });
});

// The states of the page that the accessibility tests check and that `npm run pictures` takes pictures of. Clicks and
// keys bring the page into each state, as a user would.

import { exploreStates } from "./explore-states.ts";
import { queryStates } from "./query-states.ts";
import type { TestPage } from "./running-page.ts";

export interface PageState {
  readonly name: string;
  /** The fragment of the address (the part after `#`) that opens the mode of the page in which this state occurs. */
  readonly fragment: string;
  /** Brings a page that was just opened, 1280 pixels wide, into this state by clicks and keys. */
  readonly reach: (opened: TestPage) => Promise<void>;
  /**
   * Names of the panes between which a user switches on a narrow page; empty when the page has no panes in this state.
   */
  readonly panes: readonly string[];
}

const scriptPanes = ["script", "input", "result"];
/**
 * Names of the states in which a menu or a dialog covers the buttons that switch between the panes of a narrow page.
 */
const covered = ["settings", "drafts", "help", "command palette"];
const missing = "10.12.0.9 - - nothing of the form";

/** Finds the text in the status bar at the bottom of the page. */
const stateOf = ({ page }: TestPage, text: string) => page.locator("footer:visible .state", { hasText: text });

async function pipeline({ page, rows }: TestPage): Promise<void> {
  await rows.nth(11).waitFor();
  await page.getByText("not edited yet").waitFor();
}

async function keptAsTest(opened: TestPage): Promise<void> {
  const { page, input, script, write, rows } = opened;
  await write(input, "GET 2\nPUT 3\nnone");
  await write(script, 'grok(_, "%{WORD:verb} %{INT:size:int}")');
  await rows
    .nth(2)
    .and(page.getByRole("row", { name: "no match" }))
    .waitFor();
  await rows.nth(1).click();
  await page.getByRole("button", { name: "Keep as test" }).click();
  await page.getByRole("tab", { name: /^Tests/ }).click();
  await page.getByText("1 test, all pass").waitFor();
}

async function grokExample({ page }: TestPage, title: RegExp): Promise<void> {
  await page.getByRole("button", { name: title }).click();
  await page.locator("footer:visible .state").waitFor();
}

async function convertExample({ page }: TestPage, title: RegExp): Promise<void> {
  await page.getByRole("button", { name: title }).click();
}

const pipelineStates: readonly (readonly [string, (opened: TestPage) => Promise<void>])[] = [
  ["fields of a point", pipeline],
  [
    "a row without a match",
    async (opened) => {
      await pipeline(opened);
      await opened.page.locator(".cm-coverage .missed").click();
      await opened.detail.getByRole("button", { name: "Open in Grok" }).waitFor();
    },
  ],
  [
    "steps",
    async (opened) => {
      const { page } = opened;
      await pipeline(opened);
      await opened.rows.nth(3).click();
      await page.getByRole("tab", { name: "Steps" }).click();
      await page.getByRole("listbox", { name: "Statements that ran" }).waitFor();
      for (let step = 0; step < 7; step++)
        await page.getByRole("button", { name: "Step, and into", exact: true }).click();
    },
  ],
  [
    "a compared run",
    async (opened) => {
      const { page, script, write } = opened;
      await pipeline(opened);
      await write(opened.input, "a 1\nb 2\nc 3");
      await write(script, 'grok(_, "%{WORD:w} %{INT:n:int}")');
      await page.getByRole("tab", { name: "Compare" }).click();
      await page.getByRole("button", { name: "Keep this run" }).click();
      await write(script, 'grok(_, "%{WORD:w} %{INT:n:int}")\nif n == 2 { uppercase(w) }\nif n == 3 { drop() }');
      await page.getByText("2 rows differ").waitFor();
      await opened.rows.nth(1).click();
    },
  ],
  ["tests that pass", keptAsTest],
  [
    "a test that fails",
    async (opened) => {
      await keptAsTest(opened);
      await opened.write(opened.script, 'grok(_, "%{WORD:verb} %{INT:size:int}")\nlowercase(verb)');
      await opened.page.getByText("1 test, 1 fails").waitFor();
    },
  ],
  [
    "functions",
    async (opened) => {
      await pipeline(opened);
      await opened.page.getByRole("button", { name: "Functions" }).click();
      await opened.page.getByRole("combobox", { name: "Search the functions" }).fill("time");
    },
  ],
  [
    "reference tables, none yet",
    async (opened) => {
      await pipeline(opened);
      await opened.page.getByRole("button", { name: /^Tables/ }).click();
      await opened.page.getByRole("button", { name: "Start with an example table" }).waitFor();
    },
  ],
  [
    "reference tables, one wrong",
    async (opened) => {
      const { page, write, script, input } = opened;
      await write(input, "443\n99");
      await write(script, 'grok(_, "%{INT:port:int}")\nquery_refer_table("services", "port", port)');
      await page.getByRole("button", { name: /^Tables/ }).click();
      await page.getByRole("button", { name: "Start with an example table" }).click();
      await page.getByText("3 rows").waitFor();
      await page.getByRole("button", { name: "Add an example table" }).click();
      const text = page.getByRole("textbox", { name: /^Tables of / });
      await write(text, '[{"table_name": "hosts", "column_name": ["ip"], "column_type": ["string"], "row_data": [1]}]');
      await page.getByText("row_data must be").waitFor();
    },
  ],
  [
    "settings",
    async (opened) => {
      await pipeline(opened);
      await opened.page.getByRole("button", { name: "Settings" }).click();
      await opened.page.getByLabel("Time zone").waitFor();
    },
  ],
  [
    "drafts",
    async (opened) => {
      const { page } = opened;
      await opened.write(opened.script, "add_key(a, 1)");
      await page.getByText("draft saved").waitFor();
      await page.getByRole("button", { name: "Drafts" }).click();
      await page.getByRole("button", { name: /^More for/ }).click();
    },
  ],
  [
    "a wrong script",
    async (opened) => {
      await pipeline(opened);
      await opened.write(opened.script, 'if status > {\n  add_key(a, "b")\n');
      await opened.page.locator(".cm-lintRange-error").first().waitFor();
    },
  ],
  [
    "an error of a run",
    async (opened) => {
      await pipeline(opened);
      await opened.write(opened.script, "x = 1\ny = 0\nadd_key(b, x / y)");
      await opened.detail.getByRole("alert").waitFor();
    },
  ],
  [
    "input that is refused",
    async (opened) => {
      const { page, input, write } = opened;
      await pipeline(opened);
      await page.getByLabel("Form of the input").selectOption("lp");
      await write(input, "cpu,host=a load=1\ncpu,host= load=high");
      await opened.rows.filter({ hasText: "refused" }).first().click();
      await page.getByText("Not a point").waitFor();
    },
  ],
  [
    "an empty project",
    async (opened) => {
      const { page } = opened;
      await pipeline(opened);
      await page.getByRole("button", { name: "Drafts" }).click();
      await page.getByRole("button", { name: /^New draft/ }).click();
      await page.getByText("not edited yet").waitFor();
    },
  ],
  [
    "help",
    async (opened) => {
      await pipeline(opened);
      await opened.page.keyboard.press("F1");
      await opened.page.getByRole("dialog").waitFor();
    },
  ],
  [
    "command palette",
    async (opened) => {
      await pipeline(opened);
      await opened.page.keyboard.press("ControlOrMeta+K");
      await opened.page.getByRole("combobox", { name: /^Search actions/ }).fill("date");
      await opened.page.getByRole("option", { name: "datetime" }).waitFor();
    },
  ],
];

const grokStates: readonly (readonly [string, (opened: TestPage) => Promise<void>])[] = [
  ["ways to start", ({ page }) => page.getByRole("heading", { name: "Paste log lines" }).waitFor()],
  [
    "a line that matches",
    async (opened) => {
      await grokExample(opened, /^An access log with gaps/);
      await opened.page.getByText("Line 1 matches").waitFor();
    },
  ],
  [
    "a line that does not match",
    async (opened) => {
      await grokExample(opened, /^An access log with gaps/);
      await opened.page.getByText("Line 1 matches").waitFor();
      await opened.page.keyboard.press("F8");
      await opened.page.getByRole("heading", { name: "Changes that make the line match" }).waitFor();
    },
  ],
  [
    "a line that nothing helps",
    async (opened) => {
      const { page, write } = opened;
      await write(page.getByRole("textbox", { name: "Lines to match" }), missing);
      await write(page.getByRole("textbox", { name: "Grok expression" }), "^%{IP:client} %{INT:a} %{INT:b} %{INT:c}$");
      await page.getByText("Line 1 does not match").waitFor();
    },
  ],
  [
    "all lines",
    async (opened) => {
      await grokExample(opened, /^An access log with gaps/);
      await opened.page.getByRole("tab", { name: "All lines" }).click();
      await opened.page.getByRole("table").locator("tbody tr").nth(4).waitFor();
    },
  ],
  [
    "a suggestion",
    async (opened) => {
      await grokExample(opened, /^A strange log/);
      await opened.page.getByRole("button", { name: "Suggest" }).click();
      await opened.page.getByRole("tab", { name: "Pieces" }).waitFor();
      await stateOf(opened, "4 of 4 lines match").waitFor();
    },
  ],
  [
    "the library",
    async (opened) => {
      await grokExample(opened, /^Own patterns/);
      await opened.page.getByRole("tab", { name: "Library" }).click();
      await opened.page.getByText("PLATE").first().waitFor();
    },
  ],
  [
    "own patterns, one wrong",
    async (opened) => {
      const { page, write } = opened;
      await grokExample(opened, /^Own patterns/);
      await page.getByRole("tab", { name: "Own patterns" }).click();
      await write(page.getByRole("textbox", { name: "Own patterns" }), "PLATE [A-Z]{1,3}\nCAR %{PLATEE:plate} (\n");
      await page.locator(".cm-lintRange-error").first().waitFor();
    },
  ],
  [
    "a wrong expression",
    async (opened) => {
      const { page, write } = opened;
      await grokExample(opened, /^An access log with gaps/);
      await write(page.getByRole("textbox", { name: "Grok expression" }), "%{IPX:client} (");
      await page.getByText("The expression has an error: nothing").waitFor();
    },
  ],
  [
    "replace",
    async (opened) => {
      await grokExample(opened, /^Hide card numbers/);
      await opened.page.getByRole("heading", { name: "After replace" }).waitFor();
    },
  ],
];

const convertStates: readonly (readonly [string, (opened: TestPage) => Promise<void>])[] = [
  ["ways to start", ({ page }) => page.getByRole("heading", { name: "Paste a body" }).waitFor()],
  [
    "all forms",
    async (opened) => {
      await convertExample(opened, /^Metrics/);
      await stateOf(opened, "3 points of Line protocol").waitFor();
    },
  ],
  [
    "protobuf",
    async (opened) => {
      await convertExample(opened, /^A span/);
      await opened.page.getByRole("tab", { name: "Protobuf" }).click();
      await opened.page.getByRole("listbox").getByRole("option").nth(3).click();
    },
  ],
  [
    "corrections",
    async (opened) => {
      await convertExample(opened, /^Logs that get corrected/);
      await stateOf(opened, "2 points of JSON").waitFor();
    },
  ],
  [
    "a wrong body",
    async (opened) => {
      await convertExample(opened, /^Two wrong lines/);
      await stateOf(opened, "2 errors: nothing was converted").waitFor();
    },
  ],
];

/** Opens an example of the sharding mode, by its number in the list, and waits for its routes. */
async function shardingExample({ page }: TestPage, number: number): Promise<void> {
  await page.locator(".start li button").nth(number).click();
  await page.getByRole("list", { name: "Points" }).getByRole("button").nth(3).click();
}

const shardingStates: readonly (readonly [string, (opened: TestPage) => Promise<void>])[] = [
  ["ways to start", ({ page }) => page.getByRole("heading", { name: "Paste rules or points" }).waitFor()],
  ["routes with their reasons", (opened) => shardingExample(opened, 0)],
  ["a refused point", (opened) => shardingExample(opened, 1)],
  [
    "wrong rules",
    async (opened) => {
      await shardingExample(opened, 0);
      const sinks = opened.page.getByRole("region", { name: "Sink rules" });
      await opened.write(
        sinks.getByRole("textbox"),
        '{ "rules": [\n { "rules": ["{ a = "], "url": "https://a.example/?token=t" },\n { "rules": ["*"] } ] }',
      );
      await sinks.getByRole("list", { name: /Problems/ }).waitFor();
    },
  ],
];

export const pageStates: readonly PageState[] = [
  ...pipelineStates.map(([name, reach]) => ({
    name: `Pipeline, ${name}`,
    fragment: "",
    reach,
    panes: covered.includes(name) ? [] : scriptPanes,
  })),
  ...grokStates.map(([name, reach]) => ({
    name: `Grok, ${name}`,
    fragment: "#/grok",
    reach: async (opened: TestPage) => {
      // The status bar shows "not edited yet" once the page has opened the project.
      await opened.page.getByText("not edited yet").waitFor();
      await reach(opened);
    },
    panes: ["lines", "details"],
  })),
  ...convertStates.map(([name, reach]) => ({
    name: `Convert, ${name}`,
    fragment: "#/convert",
    reach,
    panes: ["body", "forms"],
  })),
  ...queryStates,
  ...exploreStates,
  ...shardingStates.map(([name, reach]) => ({
    name: `Sharding, ${name}`,
    fragment: "#/sharding",
    reach,
    panes: ["rules", "routes"],
  })),
];

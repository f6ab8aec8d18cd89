// Takes screenshots of the page. `npm run pictures` takes the screenshots for the documents. `npm run pictures --
// FOLDER` takes screenshots of all states in three widths and both themes, for a person to look at.

import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright";
import { describe, expect, it } from "vitest";
import { type PageState, pageStates } from "../support/page-states.ts";
import { accessLines, platformStates, startWithLogs } from "../support/platform-states.ts";
import { playgroundOfTests, type TestPage } from "../support/running-page.ts";

const asked = process.env.MILLRACE_PICTURES;
const images = fileURLToPath(new URL("../../../../docs/images/", import.meta.url));
/** Largest allowed size in bytes of a picture that the documents use. */
const largest = 150_000;
const options = { reducedMotion: "reduce", timezoneId: "UTC" } as const;

interface Picture {
  readonly file: string;
  readonly state: string;
  readonly theme: "light" | "dark";
  readonly height: number;
}

const pictures: readonly Picture[] = [
  { file: "pipeline.webp", state: "Pipeline, fields of a point", theme: "light", height: 720 },
  { file: "pipeline-no-match.webp", state: "Pipeline, a row without a match", theme: "light", height: 720 },
  { file: "pipeline-steps.webp", state: "Pipeline, steps", theme: "dark", height: 720 },
  { file: "pipeline-tests.webp", state: "Pipeline, a test that fails", theme: "light", height: 720 },
  { file: "grok.webp", state: "Grok, a line that does not match", theme: "light", height: 640 },
  { file: "grok-suggestion.webp", state: "Grok, a suggestion", theme: "dark", height: 640 },
  { file: "convert.webp", state: "Convert, protobuf", theme: "light", height: 640 },
  { file: "sharding.webp", state: "Sharding, routes with their reasons", theme: "light", height: 640 },
];
/** Screenshots for the documents whose states need a running platform. */
const platformPictures: readonly Picture[] = [
  { file: "query.webp", state: "Query, log lines of the platform", theme: "light", height: 720 },
  { file: "dashboards.webp", state: "Dashboards, nginx", theme: "dark", height: 800 },
  { file: "connect.webp", state: "Connect, live points", theme: "light", height: 640 },
];

/** Returns a picture as WebP, which takes half the bytes of PNG; the browser of `page` converts it in an empty page. */
async function webp(page: Page, png: Buffer): Promise<Buffer> {
  const empty = await page.context().newPage();
  const url = await empty.evaluate(
    async (source) => {
      const image = await createImageBitmap(await (await fetch(source)).blob());
      const canvas = document.createElement("canvas");
      [canvas.width, canvas.height] = [image.width, image.height];
      canvas.getContext("2d")!.drawImage(image, 0, 0);
      return canvas.toDataURL("image/webp", 0.85);
    },
    `data:image/png;base64,${png.toString("base64")}`,
  );
  await empty.close();
  return Buffer.from(url.slice(url.indexOf(",") + 1), "base64");
}

/** Takes a picture of a page in its current state. */
async function shot({ page }: TestPage): Promise<Buffer> {
  await page.mouse.move(0, 0);
  await page.locator(".toasts").evaluate((element) => element.remove());
  return await page.screenshot({ caret: "hide" });
}

/** Draws the commands of a terminal above a picture of the page. */
async function withTerminal(page: Page, below: Buffer, text: readonly (readonly [prompt: string, text: string])[]) {
  const drawn = await page.context().newPage();
  await drawn.setContent(`<style>
    body { margin: 0; background: #fff; }
    pre { margin: 0; padding: 14px 18px; background: #14181d; color: #dfe5ec; font: 14px/1.55 ui-monospace, "DejaVu Sans Mono", monospace; overflow: hidden; }
    b { color: #6cc7a6; font-weight: 600; }
    i { color: #93a1b0; font-style: normal; }
    img { display: block; }
  </style><pre></pre><img alt="" src="data:image/png;base64,${below.toString("base64")}">`);
  await drawn.locator("pre").evaluate((pre, lines) => {
    for (const [prompt, line] of lines) {
      const part = document.createElement(prompt === "" ? "i" : "span");
      if (prompt !== "") pre.append(Object.assign(document.createElement("b"), { textContent: prompt }));
      pre.append(Object.assign(part, { textContent: `${line}\n` }));
    }
  }, text);
  const picture = await drawn.screenshot({ fullPage: true });
  await drawn.close();
  return picture;
}

/** Takes pictures of each state of the page, in three widths and both themes. */
function itTakesStates(states: readonly PageState[], playground: ReturnType<typeof playgroundOfTests>): void {
  it.each(states)("$name", async ({ name, fragment, panes, reach }) => {
    mkdirSync(asked!, { recursive: true });
    const opened = await playground.open(options, fragment);
    const { page } = opened;
    await reach(opened);
    for (const [width, height] of [
      [1440, 900],
      [1024, 768],
      [390, 844],
    ] as const) {
      await page.setViewportSize({ width, height });
      for (const pane of width === 390 && panes.length > 0 ? panes : [""]) {
        if (pane !== "")
          await page
            .getByRole("navigation", { name: "Panes" })
            .getByRole("button", { name: pane, exact: true })
            .click();
        for (const theme of ["light", "dark"] as const) {
          await page.emulateMedia({ colorScheme: theme });
          const file = [name.replaceAll(/\W+/g, "-"), width, pane, theme].filter((part) => part !== "").join("_");
          await page.screenshot({ path: path.join(asked!, `${file}.png`) });
        }
      }
    }
  });
}

function itTakesPictures(
  all: readonly Picture[],
  states: readonly PageState[],
  playground: ReturnType<typeof playgroundOfTests>,
): void {
  it.each(all)("$file", async ({ file, state, theme, height }) => {
    const { fragment, reach } = states.find(({ name }) => name === state)!;
    const viewport = { width: 1280, height };
    const opened = await playground.open({ ...options, viewport, colorScheme: theme }, fragment);
    await reach(opened);
    await write(opened.page, file, await shot(opened));
  });
}

async function write(page: Page, file: string, png: Buffer): Promise<void> {
  const picture = await webp(page, png);
  expect(picture.length).toBeLessThan(largest);
  writeFileSync(path.join(images, file), picture);
}

describe.skipIf(asked === undefined)("pictures", () => {
  const playground = playgroundOfTests();
  describe.runIf(asked === "docs")("of the documents", () => itTakesPictures(pictures, pageStates, playground));
  describe.runIf(asked !== "docs")("of all states", () => itTakesStates(pageStates, playground));
});

describe.skipIf(asked === undefined)("pictures with a platform", () => {
  const playground = playgroundOfTests(startWithLogs);
  describe.runIf(asked !== "docs")("of all states", () => itTakesStates(platformStates, playground));
  describe.runIf(asked === "docs")("of the documents", () => {
    itTakesPictures(platformPictures, platformStates, playground);

    it("logs-to-charts.webp", async () => {
      const { fragment, reach } = platformStates.find(({ name }) => name === "Dashboards, nginx")!;
      const viewport = { width: 1280, height: 600 };
      const opened = await playground.open({ ...options, viewport, colorScheme: "light" }, fragment);
      await reach(opened);
      const [first = "", second = ""] = accessLines(Date.now());
      const picture = await withTerminal(opened.page, await shot(opened), [
        ["$ ", "npm start"],
        ["$ ", "head -2 access.log"],
        ["", first],
        ["", second],
        ["$ ", "curl 'localhost:9529/v1/write/logstreaming?source=nginx' --data-binary @access.log"],
        ["", '{"status":"success"}'],
      ]);
      await write(opened.page, "logs-to-charts.webp", picture);
    });
  });
});

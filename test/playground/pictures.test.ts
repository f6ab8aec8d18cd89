// Takes the pictures of the page: those of the documents (`npm run pictures`), or with a folder all states in three
// widths and both themes, to be looked at (`npm run pictures -- FOLDER`).

import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright";
import { describe, expect, it } from "vitest";
import { pageStates } from "./page-states.ts";
import { playgroundOfTests } from "./running-page.ts";

const asked = process.env.MILLRACE_PICTURES;
const images = fileURLToPath(new URL("../../docs/images/", import.meta.url));
/** Largest size in bytes of a picture in the documents. */
const largest = 120_000;

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

describe.skipIf(asked === undefined)("pictures", () => {
  const playground = playgroundOfTests();
  const options = { reducedMotion: "reduce", timezoneId: "UTC" } as const;

  describe.runIf(asked === "docs")("of the documents", () => {
    it.each(pictures)("$file", async ({ file, state, theme, height }) => {
      const { fragment, reach } = pageStates.find(({ name }) => name === state)!;
      const viewport = { width: 1280, height };
      const opened = await playground.open({ ...options, viewport, colorScheme: theme }, fragment);
      const { page } = opened;
      await reach(opened);
      await page.mouse.move(0, 0);
      await page.locator(".toasts").evaluate((element) => element.remove());
      const picture = await webp(page, await page.screenshot({ caret: "hide" }));
      expect(picture.length).toBeLessThan(largest);
      writeFileSync(path.join(images, file), picture);
    });
  });

  describe.runIf(asked !== "docs")("of all states", () => {
    it.each(pageStates)("$name", async ({ name, fragment, panes, reach }) => {
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
  });
});

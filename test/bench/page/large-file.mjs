// Measures two things. First: how long a first visit of the page takes until the script editor accepts text, and
// until the first result is shown. Second: whether the page stays responsive while it processes a 100 MB file.
// For this, the benchmark counts the frames per second of the idle page, and of the page from the arrival of the
// file until its last line is processed, in five alternating rounds. The printed ratio is the busy rate divided
// by the idle rate.

import { writeFileSync } from "node:fs";
import path from "node:path";
import { noteFrames, takeFrames } from "./frames.mjs";
import { startServices } from "./services.mjs";

const rounds = 5;
const visits = 11;
const bytes = 100_000_000;
const idleMs = 2000;

export async function measureFirstVisits({ browser, folder }) {
  const agent = await startServices("agent", path.join(folder, "visit"));
  try {
    const found = [];
    for (let visit = 0; visit < visits; visit++) found.push(await firstVisit(browser, agent.url));
    for (const [key, name] of [
      ["editor", "the editor takes text"],
      ["result", "the first result shows"],
    ]) {
      const ms = found.map((each) => each[key]).sort((a, b) => a - b);
      const [least, middle, most] = [ms[0], ms[visits >> 1], ms[visits - 1]].map((each) => each.toFixed(0));
      console.log(`a first visit: ${name} after ${middle} ms (${least}-${most})`);
    }
  } finally {
    await agent.stop();
  }
}

export async function measureFile({ browser, folder }) {
  const agent = await startServices("agent", path.join(folder, "file"));
  try {
    const file = path.join(folder, "access.log");
    writeFileSync(file, accessLog());
    const found = [];
    for (let round = 0; round < rounds; round++) found.push(await measureRun(browser, agent.url, file));
    const ratios = found.map(({ idle, running }) => running.perSecond / idle.perSecond).sort((a, b) => a - b);
    for (const { idle, running, seconds } of found) {
      console.log(
        `idle ${text(idle)}; ${bytes / 1e6} MB in ${seconds.toFixed(1)} s ${text(running)}, longest gap ${running.longest.toFixed(0)} ms`,
      );
    }
    const [lowest, median, highest] = [ratios[0], ratios[rounds >> 1], ratios[rounds - 1]].map((each) =>
      each.toFixed(2),
    );
    console.log(`frames while a file runs, against an idle page: ${median}x (${lowest}-${highest})`);
  } finally {
    await agent.stop();
  }
}

/**
 * Opens the page with an empty cache. Returns times in milliseconds since the navigation began: `editor` for the
 * first frame with an editor that takes text, and `result` for the first frame with a row of the result. The
 * page itself measures the times. A test tool outside the page checks the page only at intervals, and would
 * notice these frames too late.
 */
async function firstVisit(browser, url) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  await page.addInitScript(watchFirstVisit);
  await page.goto(url, { waitUntil: "commit" });
  const found = await page.waitForFunction(() => "result" in globalThis.firstVisit && globalThis.firstVisit);
  const { editor, result } = await found.jsonValue();
  if (!(await page.getByRole("textbox", { name: /^Script / }).isEditable()))
    throw new Error("the editor takes no text");
  await context.close();
  return { editor, result };
}

/** Runs in the page. Records in `firstVisit` the times at which the editor and the first row of the result appear. */
function watchFirstVisit() {
  const found = {};
  globalThis.firstVisit = found;
  const watch = () => {
    const hosts = document.querySelectorAll("section[aria-label=Script] .body *");
    if ([...hosts].some(({ shadowRoot }) => shadowRoot?.querySelector("[role=textbox][contenteditable=true]")))
      found.editor ??= performance.now();
    if (document.querySelector("section[aria-label=Result] tbody tr[aria-selected]")) found.result = performance.now();
    else requestAnimationFrame(watch);
  };
  requestAnimationFrame(watch);
}

function text({ perSecond, p99 }) {
  return `${perSecond.toFixed(1)} frames/s, p99 ${p99.toFixed(1)} ms`;
}

async function measureRun(browser, url, file) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.goto(url);
  await page.getByRole("button", { name: /^Run/ }).waitFor();
  await noteFrames(page);
  await page.waitForTimeout(idleMs);
  await takeFrames(page);
  await page.waitForTimeout(idleMs);
  const idle = await takeFrames(page);
  await page.getByLabel("File to read").setInputFiles(file);
  // After a file is chosen, the page runs the script only over a sample of the file. The button "Run all" makes the
  // page run the script over the whole file.
  await page.getByRole("button", { name: "Run all" }).click();
  const stop = page.getByRole("button", { name: /^Stop/ });
  await stop.waitFor();
  await takeFrames(page);
  const began = performance.now();
  await stop.waitFor({ state: "detached", timeout: 300_000 });
  const seconds = (performance.now() - began) / 1000;
  const running = await takeFrames(page);
  await page.close();
  return { idle, running, seconds };
}

function accessLog() {
  const paths = ["/", "/index.html", "/api/items?page=2", "/login", "/favicon.ico"];
  const lines = [];
  for (let at = 0, size = 0; size < bytes; at++) {
    const second = String(at % 60).padStart(2, "0");
    const line = `10.0.${at % 250}.${(at * 7) % 250} - - [21/Nov/2025:10:00:${second} +0000] "GET ${paths[at % 5]} HTTP/1.1" ${at % 17 === 0 ? 500 : 200} ${at % 9999} "-" "curl/8.${at % 10}"\n`;
    size += line.length;
    lines.push(line);
  }
  return lines.join("");
}

// `npm run bench:page`: measures the playground page in Chromium. Names behind `--` choose parts:
// `npm run bench:page -- dashboard live`.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { chromium } from "playwright";
import { measureDashboard } from "./dashboard.mjs";
import { measureFile, measureFirstVisits } from "./large-file.mjs";
import { measureLive } from "./live.mjs";

const parts = {
  visit: measureFirstVisits,
  file: measureFile,
  dashboard: measureDashboard,
  live: measureLive,
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !Object.hasOwn(parts, name));
if (unknown.length > 0) {
  console.error(`unknown part ${unknown.join(", ")}; one of: ${Object.keys(parts).join(", ")}`);
  process.exit(2);
}
const folder = mkdtempSync(path.join(tmpdir(), "millrace-page-"));
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM_PATH,
  args: ["--no-sandbox", "--disable-quic", "--disable-background-networking", "--disable-component-update"],
});
try {
  for (const [name, measure] of Object.entries(parts)) {
    if (wanted.length === 0 || wanted.includes(name)) await measure({ browser, folder });
  }
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}

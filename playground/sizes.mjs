// Prints the sizes of the built playground and fails when a first visit loads too many bytes. With `--counted`, prints
// only the names of the files that a first visit loads. The page loads all other files later:
// - the country database and its reader, when a script calls geoip;
// - the evaluator of XPath, when a script calls xml;
// - the search of the editors, when an editor gets the focus;
// - esm-*.js, when a file compressed with zstd is read;
// - share-*.js and transfer-*.js, when a link or a zip of a project is made or opened;
// - the list of drafts, the settings, the examples, the help, the list of functions and the command palette, with
//   call-snippet-*.js, when the user opens them;
// - the panes of steps, comparison and tests, and the worker's code for them, such as changes-*.js, when the user opens
//   one of these panes;
// - the reference tables, when the user opens them or a script looks rows up;
// - completion and hover of scripts, with cards-*.js and script-strings-*.js, when the user types or points at a word;
// - grok-row-*.js and point-at-step-*.js, when the user opens a row in the Grok mode;
// - run-errors-*.js and lexer-*.js, when a run has an error;
// - zh-*.js, the Chinese texts, when the page is shown in Chinese;
// - all modes except the first, when the user opens them;
// - UpdateBar-* and service-worker.js, some seconds after the start. They store all files but the country database in
//   the background, for use without a network.

import { readdirSync, statSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("dist/", import.meta.url));
/** Largest number of bytes, after compression, that a first visit may load, for each method of compression. */
const most = { brotli: 353_000, gzip: 411_000 };

const files = readdirSync(folder, { recursive: true })
  .map(String)
  .filter((file) => statSync(path.join(folder, file)).isFile() && !/\.(?:br|gz)$/.test(file))
  .map((file) => {
    const size = (ending) => statSync(path.join(folder, `${file}${ending}`)).size;
    return { file, plain: size(""), brotli: size(".br"), gzip: size(".gz") };
  })
  .sort((a, b) => b.brotli - a.brotli);

/** Files that the page loads only after a user action that needs them, so they do not count for the first visit. */
const asked =
  /\.mmdb$|^service-worker\.js$|^assets[/\\](?:country-reader|esm|examples|Help|Palette|call-snippet|Convert|convert|Grok|grok-worker|Sharding|route|Connect|compare|agent-answer|page-run|Query|queries|Explore|LogsView|add-chart|library(?:\.svelte)?|Dashboards|browser|faults|share|Functions|(?:Steps|Compare|Tests)Pane|tests|trace-point|measure|xpath-evaluator|format-script|search|changes|PipelineStart|Start|TwoPanes|Tabs|Prose|plot|LineChart|chart-image|ZonePicker|transfer|DraftList|Settings|UpdateBar|TablesPane|held-tables|StorageNotice|zh-\w+|completion|hover|cards|script-strings|grok-row|point-at-step|run-errors|lexer)-/;
const counted = files.filter(({ file }) => !asked.test(file));
if (process.argv.includes("--counted")) {
  process.stdout.write(counted.map(({ file }) => `${file.split(path.sep).join("/")}\n`).join(""));
  process.exit();
}

const print = (...columns) => {
  const [name, ...numbers] = columns.map(String);
  process.stdout.write(`${name.padEnd(40)}${numbers.map((each) => each.padStart(10)).join("")}\n`);
};
print("playground/dist", "bytes", "brotli", "gzip");
for (const { file, plain, brotli, gzip } of files) print(file, plain, brotli, gzip);
const sum = (key) => counted.reduce((total, each) => total + each[key], 0);
const visit = { plain: sum("plain"), brotli: sum("brotli"), gzip: sum("gzip") };
print("a first visit", visit.plain, visit.brotli, visit.gzip);
for (const key of ["brotli", "gzip"]) {
  if (visit[key] <= most[key]) continue;
  process.stderr.write(
    `The playground is too large: ${visit[key]} bytes with ${key}, at most ${most[key]} are wanted.\n`,
  );
  process.exitCode = 1;
}

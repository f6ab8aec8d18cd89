// Prints the sizes of the built playground and fails when a first visit loads too many bytes. The page loads these
// parts only later: the country database and its reader, when a script calls geoip; esm-*.js, to decompress zstd files;
// share-*.js, to make and open links; the examples, the help and the list of functions, when the user opens them; the
// panes of steps, comparison and tests with their parts of the worker; and all modes except the first.

import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const folder = fileURLToPath(new URL("dist/", import.meta.url));
/** Largest number of compressed bytes that a first visit may load. */
const most = 431_000;

const files = readdirSync(folder, { recursive: true })
  .map(String)
  .filter((file) => statSync(path.join(folder, file)).isFile() && !file.endsWith(".gz"))
  .map((file) => {
    const at = path.join(folder, file);
    // Large files are also in the build output in compressed form (.gz), so their compressed size is taken from there.
    const packed = existsSync(`${at}.gz`) ? statSync(`${at}.gz`).size : gzipSync(readFileSync(at), { level: 9 }).length;
    return { file, size: statSync(at).size, packed };
  })
  .sort((a, b) => b.packed - a.packed);

const print = (name, size, packed) =>
  process.stdout.write(`${name.padEnd(40)}${String(size).padStart(10)}${String(packed).padStart(10)}\n`);
process.stdout.write(`${"playground/dist".padEnd(40)}${"bytes".padStart(10)}${"gzip".padStart(10)}\n`);
for (const { file, size, packed } of files) print(file, size, packed);
/** Files that the page loads only after a user action that needs them, so they do not count for the first visit. */
const asked =
  /\.mmdb$|^assets[/\\](?:country-reader|esm|examples|Help|Convert|convert|Grok|grok-worker|Sharding|route|browser|faults|share|Functions|(?:Steps|Compare|Tests)Pane|tests|trace-point|measure)-/;
const counted = files.filter(({ file }) => !asked.test(file));
const sum = (key) => counted.reduce((total, each) => total + each[key], 0);
print("a first visit", sum("size"), sum("packed"));
if (sum("packed") > most) {
  process.stderr.write(`The playground is too large: ${sum("packed")} bytes, at most ${most} are wanted.\n`);
  process.exitCode = 1;
}

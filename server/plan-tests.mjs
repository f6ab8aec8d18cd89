// Plans a run of tests: which parts of the project are built, which Vitest projects run, and whether Chromium is
// needed. The file test/rooms.json says what each folder of tests (called a room) needs; an entry for a single
// file overrides the entry of its folder. When the command line contains a path but no project, the first
// project of the path's room is used.

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

/**
 * Vitest's options that take no value. After any other option, the next word on the command line is the value of
 * the option, not a path.
 */
const flags = new Set([
  ...["--run", "--watch", "-w", "--ui", "--open", "--silent", "--coverage", "--isolate", "--globals", "--standalone"],
  ...["--update", "-u", "--passWithNoTests", "--allowOnly", "--hideSkippedTests", "--clearCache", "--logHeapUsage"],
  ...["--printConsoleTrace", "--includeTaskLocation", "--expandSnapshotDiff", "--disableConsoleIntercept"],
  ...["--help", "-h", "--version", "-v"],
]);

/**
 * Returns the entries of test/rooms.json. Each entry (called a room) says what the tests of one folder, or
 * of one file, need.
 */
export function readRooms(root) {
  return JSON.parse(readFileSync(path.join(root, "test/rooms.json"), "utf8"));
}

/**
 * Returns the test files below `folder` that an entry of test/rooms.json covers, as paths relative to the
 * root of the project. An entry (called a room) says what the tests of one folder, or of one file, need.
 */
export function listTests(root, rooms, folder = "test") {
  return readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const at = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return entry.name === "node_modules" ? [] : listTests(root, rooms, at);
    return at.endsWith(".test.ts") && roomOf(rooms, at) !== undefined ? [at] : [];
  });
}

/**
 * Returns the plan for a run of tests with the arguments after `npm test --`. `all`: whether the arguments
 * contain neither a path nor a project. `tests`: the test files to run, each with its needs (the parts of the
 * project to build, and "chromium" if the browser is needed). `needs`: the needs of all these files together.
 * `args`: the arguments for Vitest. `note`: a message for the user, or undefined.
 */
export function planTests(root, args, tests, rooms) {
  const { filters, projects } = parse(root, args);
  const all = filters.length === 0 && projects.length === 0;
  // Only Vitest interprets patterns of project names, such as "!chromium". If there is one, the plan covers all
  // projects.
  const isNamed = projects.length > 0 && !projects.some((name) => /[!*]/.test(name));
  const selected = tests
    .filter((test) => filters.length === 0 || filters.some((filter) => test.includes(filter)))
    .map((test) => ({ test, room: roomOf(rooms, test) }))
    .filter(({ room }) => !isNamed || room.projects.some((name) => projects.includes(name)));
  const offered = [...new Set(selected.flatMap(({ room }) => room.projects))];
  const firsts = new Set(selected.map(({ room }) => room.projects[0]));
  const chosen = isNamed
    ? projects
    : offered.filter((name) => filters.length === 0 || projects.length > 0 || firsts.has(name));
  const left = offered.filter((name) => !chosen.includes(name));
  const running = selected.map(({ test, room }) => ({ test, needs: needsOf(room, chosen) }));
  const byPathOnly = !all && projects.length === 0;
  return {
    all,
    tests: running,
    needs: [...new Set(running.flatMap(({ needs }) => needs))],
    args: byPathOnly ? [...args, ...chosen.map((name) => `--project=${name}`)] : args,
    note:
      byPathOnly && left.length > 0
        ? `Runs the tests in ${chosen.join(", ")} only; --project ${left.join(", ")} runs them there.`
        : undefined,
  };
}

/**
 * Returns the needs of the tests of a room (an entry of test/rooms.json for a folder of tests or a file):
 * the parts of the project to build, which the entry lists as `needs`, and "chromium" if the browser is
 * needed. The browser is needed if both the entry and `chosen` (the Vitest projects of this run) contain the
 * project "chromium".
 */
function needsOf({ projects, needs }, chosen) {
  return projects.includes("chromium") && chosen.includes("chromium") ? [...needs, "chromium"] : needs;
}

function roomOf(rooms, test) {
  const matching = rooms.filter(({ tests }) => test === tests || (tests.endsWith("/") && test.startsWith(tests)));
  return matching.sort((a, b) => b.tests.length - a.tests.length)[0];
}

/**
 * Parses command line arguments as Vitest does. Returns the test files (paths, or parts of paths) and the Vitest
 * projects that the arguments name.
 */
function parse(root, args) {
  const filters = [];
  const projects = [];
  for (let at = 0; at < args.length; at++) {
    const [name, ...value] = args[at].split("=");
    if (!name.startsWith("-")) filters.push(pieceOf(root, args[at]));
    else if (name === "--project") projects.push(value.length > 0 ? value.join("=") : args[++at]);
    else if (value.length === 0 && !flags.has(name) && !name.startsWith("--no-") && !args[at + 1]?.startsWith("-"))
      at++;
  }
  return { filters, projects };
}

/**
 * Returns the path (or part of a path) in an argument, relative to the root; it selects the test files whose
 * paths contain it. Removes a line number such as `:12` from the end of the argument.
 */
function pieceOf(root, argument) {
  const piece = path.isAbsolute(argument) ? path.relative(root, argument) : argument;
  return piece.replaceAll("\\", "/").replace(/^\.\//, "").replace(/:\d+$/, "");
}

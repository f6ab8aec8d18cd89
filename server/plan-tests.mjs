// Decides what a run of tests needs: which parts are built, which projects take part, whether Chromium is looked for.
// test/rooms.json declares it for each room of tests; an entry for one file comes before the entry of its folder.
// The first project of a room is the one that a path alone selects.

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

/** Vitest's options that take no value. The word after any other option is taken for its value, not for a path. */
const flags = new Set([
  ...["--run", "--watch", "-w", "--ui", "--open", "--silent", "--coverage", "--isolate", "--globals", "--standalone"],
  ...["--update", "-u", "--passWithNoTests", "--allowOnly", "--hideSkippedTests", "--clearCache", "--logHeapUsage"],
  ...["--printConsoleTrace", "--includeTaskLocation", "--expandSnapshotDiff", "--disableConsoleIntercept"],
  ...["--help", "-h", "--version", "-v"],
]);

/** Returns the entries of test/rooms.json. */
export function readRooms(root) {
  return JSON.parse(readFileSync(path.join(root, "test/rooms.json"), "utf8"));
}

/** Returns the test files that belong to a room, named from the root. */
export function listTests(root, rooms, folder = "test") {
  return readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const at = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return entry.name === "node_modules" ? [] : listTests(root, rooms, at);
    return at.endsWith(".test.ts") && roomOf(rooms, at) !== undefined ? [at] : [];
  });
}

/**
 * Returns the plan for the arguments after `npm test --`.
 * `all`: neither a path nor a project was named. `tests`: the files that run, each with its needs. `needs`: the needs of
 * all of them. `args`: the arguments for Vitest. `note`: a line for the user, or undefined.
 */
export function planTests(root, args, tests, rooms) {
  const { filters, projects } = parse(root, args);
  const all = filters.length === 0 && projects.length === 0;
  // A pattern of project names, such as "!chromium", is left to Vitest: the plan is made for all projects.
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

/** Returns the needs of a room's files in some projects. Every file of the project "chromium" needs Chromium. */
function needsOf({ projects, needs }, chosen) {
  return projects.includes("chromium") && chosen.includes("chromium") ? [...needs, "chromium"] : needs;
}

function roomOf(rooms, test) {
  const matching = rooms.filter(({ tests }) => test === tests || (tests.endsWith("/") && test.startsWith(tests)));
  return matching.sort((a, b) => b.tests.length - a.tests.length)[0];
}

/** Returns the paths, or pieces of paths, and the projects among the arguments, as Vitest reads them. */
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

/** Returns the piece of a test file's name, from the root, that this argument asks for; `:12` after it names a line. */
function pieceOf(root, argument) {
  const piece = path.isAbsolute(argument) ? path.relative(root, argument) : argument;
  return piece.replaceAll("\\", "/").replace(/^\.\//, "").replace(/:\d+$/, "");
}

// The input of a run: the parts of a project on which the result depends, and a file that may replace the project's
// text.

import { modeInputs, type Project } from "./project.ts";

export interface RunInput {
  readonly project: Project;
  /** A file that is the input in place of the project's text; null for none. */
  readonly file: File | null;
}

/** Parts of a project that do not affect the result of the scripts. */
const withoutRun: ReadonlySet<string> = new Set<keyof Project>(["title", "view", "tests", ...modeInputs]);

/** Returns whether the result of the scripts depends on this part of a project. */
export function decidesRun(part: string): boolean {
  return !withoutRun.has(part);
}

/**
 * Returns whether the scripts produce the same result for two inputs, because all parts on which the result
 * depends are equal in both inputs.
 */
export function isSameInput(a: RunInput, b: RunInput): boolean {
  if (a.file !== b.file) return false;
  const [left, right] = [a.project, b.project];
  if (left === right) return true;
  return (Object.keys(left) as (keyof Project)[]).every((part) => {
    if (!decidesRun(part) || (part === "input" && a.file !== null)) return true;
    if (part === "scripts" || part === "tables") return areSameTexts(left[part], right[part]);
    return left[part] === right[part];
  });
}

function areSameTexts(a: Project["scripts"], b: Project["scripts"]): boolean {
  return a.length === b.length && a.every(({ name, text }, at) => name === b[at]!.name && text === b[at]!.text);
}

// Chooses a version of each script of a category after files have changed: the new version or, when it does not
// compile, the last version that compiled. Scripts that run each other with `use` are compiled together, so a new
// version of one script can break another.

import type { PlError } from "../engine.ts";

/** The texts of the scripts of one category, by file name. */
export type Texts = Readonly<Record<string, string>>;

/** Versions of scripts that were compiled together without an error. */
export interface InForce {
  readonly scripts: Texts;
  /**
   * Scripts whose files are gone. They run over no points themselves, but older versions of other scripts still run
   * them with `use`.
   */
  readonly helpers: Texts;
}

export interface ChosenVersions extends InForce {
  /** Compile errors of the present script files, by file name. */
  readonly errors: ReadonlyMap<string, PlError>;
  /** Names of the scripts that no longer have a version that compiles, because a grok pattern has changed. */
  readonly lost: readonly string[];
}

/**
 * Chooses which versions of the scripts are used from now on. `files`: the current texts of the scripts.
 * `before`: the versions that are in force now. These versions compile together unless grok patterns have
 * changed, so they can stay in force. `errorsOf` compiles scripts together and returns their errors.
 */
export function chooseVersions(
  files: Texts,
  before: InForce,
  errorsOf: (texts: Texts) => ReadonlyMap<string, PlError>,
): ChosenVersions {
  const errors = new Map<string, PlError>();
  const texts: Record<string, string> = { ...files };
  const canStepBack = ([name]: [string, PlError]) =>
    Object.hasOwn(before.scripts, name) && texts[name] !== before.scripts[name];
  let failing = [...errorsOf(texts)];
  for (let back = failing.filter(canStepBack); back.length > 0; back = failing.filter(canStepBack)) {
    // A script may fail to compile because of an error in another script that it runs with `use`. The list `pos_chain`
    // of the error holds the position of the cause, and one position for each call of `use` on the way to the cause. So
    // the scripts with the shortest lists are nearest to the causes. These scripts go back to their previous version
    // first. Then the other scripts may compile.
    const shortest = Math.min(...back.map(([, { pos_chain }]) => pos_chain.length));
    for (const [name, error] of back) {
      if (error.pos_chain.length > shortest) continue;
      errors.set(name, error);
      texts[name] = before.scripts[name];
    }
    failing = [...errorsOf(texts)];
  }
  for (const [name, error] of failing) {
    errors.set(name, error);
    if (!Object.hasOwn(before.scripts, name)) delete texts[name];
  }
  // A script whose previous version does not compile either may run (with `use`) a script whose file is gone. So
  // the scripts whose files are gone are then compiled together with the other scripts.
  const isWhole = failing.every(([name]) => !Object.hasOwn(texts, name));
  const known = Object.entries({ ...before.helpers, ...before.scripts });
  const helpers = isWhole ? {} : Object.fromEntries(known.filter(([name]) => !Object.hasOwn(texts, name)));
  const lost = isWhole
    ? []
    : [...errorsOf({ ...helpers, ...texts }).keys()].filter((name) => Object.hasOwn(texts, name));
  return { scripts: texts, helpers, errors, lost };
}

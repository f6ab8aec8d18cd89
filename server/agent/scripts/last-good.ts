// Chooses the version of each script of a category when some files do not compile: the last version that did. Scripts
// that run each other with `use` are compiled together, so a new version of one script can break another.

import type { PlError } from "../engine.ts";

/** Script texts by file name. */
export type Texts = Readonly<Record<string, string>>;

/** Scripts that are compiled together. All of them compile. */
export interface InForce {
  readonly scripts: Texts;
  /**
   * Scripts whose files are gone. No point is assigned to them, but older versions of other scripts still run them by
   * `use`.
   */
  readonly helpers: Texts;
}

export interface ChosenVersions extends InForce {
  /** Compile errors of the current files, by file name. */
  readonly errors: ReadonlyMap<string, PlError>;
  /** Scripts of which no version compiles any more, because a grok pattern has changed. */
  readonly lost: readonly string[];
}

/**
 * Chooses the versions to put in force. `errorsOf` compiles texts together. The scripts `before` compiled, so in the
 * worst case they stay in force, unless patterns have changed.
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
    // The position chain of an error grows with each `use` on the way to its cause. The scripts with the shortest
    // chains are reverted first: the others may compile once these are reverted.
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
  // A script that still fails is an old version that runs a script whose file is gone.
  const isWhole = failing.every(([name]) => !Object.hasOwn(texts, name));
  const known = Object.entries({ ...before.helpers, ...before.scripts });
  const helpers = isWhole ? {} : Object.fromEntries(known.filter(([name]) => !Object.hasOwn(texts, name)));
  const lost = isWhole
    ? []
    : [...errorsOf({ ...helpers, ...texts }).keys()].filter((name) => Object.hasOwn(texts, name));
  return { scripts: texts, helpers, errors, lost };
}

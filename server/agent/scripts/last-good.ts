// Which version of each script of a category runs when some of its files do not compile: the last one that did. A script
// takes the scripts that it runs into account: they are compiled together, so that a new version of one may spoil another.

import type { PlError } from "../engine.ts";

/** Script texts by file name. */
export type Texts = Readonly<Record<string, string>>;

/** What is compiled together. All of it compiles. */
export interface InForce {
  readonly scripts: Texts;
  /** Of files that are gone: no point gets them, but last good versions run them by `use`. */
  readonly helpers: Texts;
}

export interface ChosenVersions extends InForce {
  /** By file name: why the file as it is now does not compile. */
  readonly errors: ReadonlyMap<string, PlError>;
  /** Scripts that compiled before and do not any more, in any version: a grok pattern has changed. */
  readonly lost: readonly string[];
}

/** `errorsOf` compiles texts together. What was in force `before` compiled, so that it is what runs in the worst case, unless patterns have changed. */
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
    // The chain of an error is the longer the farther away its cause is: whose cause is another may be sound without it.
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
  // What still fails is as it was: it runs a script whose file is gone.
  const isWhole = failing.every(([name]) => !Object.hasOwn(texts, name));
  const known = Object.entries({ ...before.helpers, ...before.scripts });
  const helpers = isWhole ? {} : Object.fromEntries(known.filter(([name]) => !Object.hasOwn(texts, name)));
  const lost = isWhole
    ? []
    : [...errorsOf({ ...helpers, ...texts }).keys()].filter((name) => Object.hasOwn(texts, name));
  return { scripts: texts, helpers, errors, lost };
}

// Collects the data from which the script editor completes words and shows help for a word under the pointer. The page
// loads this file only together with completion and help, because the file needs the parser of scripts, which a first
// visit does not use.

import type { AssistFacts } from "../../../lib/index.ts";
import { ownPatterns } from "../state/script-strings.ts";
import type { Assist } from "./assist.ts";

/**
 * Returns the functions and patterns of the script language, the patterns that the scripts define, and the keys of the
 * points. The result has the type that the library's functions for completion and hover expect.
 */
export function factsOf(assist: Assist): AssistFacts {
  const language = assist.language();
  return {
    functions: language?.functions ?? [],
    patterns: new Map([...ownPatterns(assist.texts()), ...(language?.patterns ?? [])]),
    keys: assist.keys(),
    scripts: assist.scripts(),
  };
}

// Compiles the filter of a tag rule when it is an object of tags: a point must have every tag of the object
// (docs/reference/gateway.md#rules-for-tags).

import { compileWildcard } from "../filter/wildcard.ts";
import { scalarText } from "./plain-point.ts";
import type { SearchFilter } from "./search-filter.ts";

/**
 * Compiles the filter of a tag rule. Returns undefined when a value in it is neither a scalar nor a list of scalars.
 */
export function compileTagFilter(tags: Readonly<Record<string, unknown>>): SearchFilter | undefined {
  const entries: SearchFilter[] = [];
  for (const [name, wanted] of Object.entries(tags)) {
    const texts = (Array.isArray(wanted) ? wanted : [wanted]).map(scalarText);
    if (texts.some((text) => text === undefined)) return undefined;
    const tests = (texts as string[]).map(compileWildcard);
    const isNegated = name.startsWith("-");
    const key = isNegated ? name.slice(1) : name;
    entries.push((lookUp) => {
      const text = scalarText(lookUp(key));
      return (text !== undefined && tests.some((test) => test(text))) !== isNegated;
    });
  }
  return (lookUp) => entries.every((entry) => entry(lookUp));
}

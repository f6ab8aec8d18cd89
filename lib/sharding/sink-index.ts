// Finds the entries of the sink rules whose conditions a header meets, in a time that does not grow with the number of
// rules. The index stores each condition under a few requirements (lib/filter/requirement.ts), such as "the key env
// equals prod". A header that meets the condition must meet one of them. For a header, the index looks up the
// requirements that the header meets. Only the conditions found in this way, and the conditions without a requirement,
// are then tested. Of the possible requirements of a condition, the index chooses those that few other conditions
// share; docs/decisions/sink-index.md says how much time the index saves.

import type { Condition } from "../filter/condition.ts";
import type { KeyRequirement, Requirement } from "../filter/requirement.ts";
import { AffixTable } from "./affix-table.ts";
import { type HeaderSubject, isPathKey } from "./header-subject.ts";

/**
 * The conditions on the value of one key. Each map contains the texts with which conditions compare the value
 * (an equal value, a prefix or a suffix), and for each text the numbers that identify the conditions. `present`
 * contains the conditions that only require the key to exist.
 */
interface KeyIndex {
  readonly equal: ReadonlyMap<string, readonly number[]>;
  readonly prefixes: AffixTable | undefined;
  readonly suffixes: AffixTable | undefined;
  readonly present: readonly number[];
}

/**
 * The conditions on one key, collected while the index is built. There is one map for each operator (such as
 * "equal" or "prefix"). The map contains the texts with which conditions compare the value, and for each text
 * the numbers that identify these conditions.
 */
type KeyGroups = Readonly<Record<KeyRequirement["op"], Map<string, number[]>>>;

/**
 * The key under which the index stores requirements on the request's path. Rules may name the path by different keys,
 * so the index uses the empty key, which no header contains.
 */
const pathKey = "";

/** Largest number of found conditions that are sorted by insertion sort, which is fast for few elements. */
const fewFound = 16;

export class SinkIndex {
  private readonly conditions: Condition[] = [];
  /**
   * For each condition, the index of the sink entry (target) that it belongs to. Conditions of one entry are
   * neighbours.
   */
  private readonly entryOf: number[] = [];
  private readonly keys = new Map<string, KeyIndex>();
  /**
   * Indexes of the conditions for which the index has no requirement on the value of a key, so that they are tested for
   * every header; ascending.
   */
  private readonly always: number[] = [];
  /**
   * For each condition, the number of the last search that found it, so that a search adds each condition only once.
   */
  private readonly foundBy: Uint32Array;
  private readonly found: Uint32Array;
  private foundCount = 0;
  private search = 0;

  /**
   * Makes an index of conditions. `entries` holds the conditions of each entry of the sink rules (rules that route
   * requests to targets).
   */
  constructor(entries: readonly (readonly Condition[])[]) {
    for (const [entry, conditions] of entries.entries())
      for (const condition of conditions) {
        this.conditions.push(condition);
        this.entryOf.push(entry);
      }
    this.foundBy = new Uint32Array(this.conditions.length);
    this.found = new Uint32Array(this.conditions.length);
    const counts = countRequirements(this.conditions);
    const groups = new Map<string, KeyGroups>();
    for (const [at, { requirement }] of this.conditions.entries()) {
      const chosen = choose(requirement, counts, this.conditions.length);
      if (chosen === undefined) this.always.push(at);
      else for (const each of chosen.requirements) numbersOf(groups, each).push(at);
    }
    for (const [key, group] of groups) this.keys.set(key, keyIndexOf(group));
  }

  /**
   * Calls `take` once for each sink entry that has a condition which the header meets, until `take` returns false. The
   * argument of `take` is the index of the entry; the indexes are ascending.
   */
  visit(subject: HeaderSubject, take: (entry: number) => boolean): void {
    this.find(subject);
    const { always, found, foundCount, entryOf } = this;
    let last = -1;
    for (let a = 0, f = 0; a < always.length || f < foundCount; ) {
      const at = f === foundCount || (a < always.length && always[a]! < found[f]!) ? always[a++]! : found[f++]!;
      const entry = entryOf[at]!;
      if (entry === last || !this.conditions[at]!.matches(subject)) continue;
      last = entry;
      if (!take(entry)) return;
    }
  }

  /**
   * Stores in `found` the number of each condition that is stored under a requirement which the header meets. The
   * numbers are ascending, and each occurs only once.
   */
  private find(subject: HeaderSubject): void {
    if (++this.search > 0xffffffff) {
      this.search = 1;
      this.foundBy.fill(0);
    }
    this.foundCount = 0;
    for (const [key, value] of subject.pairs) this.findByKey(key, value);
    this.findByKey(pathKey, subject.path);
    const { found, foundCount } = this;
    if (foundCount > fewFound) found.subarray(0, foundCount).sort();
    else
      for (let at = 1; at < foundCount; at++) {
        const number = found[at]!;
        let to = at;
        for (; to > 0 && found[to - 1]! > number; to--) found[to] = found[to - 1]!;
        found[to] = number;
      }
  }

  private findByKey(key: string, value: string): void {
    const index = this.keys.get(key);
    if (index === undefined) return;
    const equal = index.equal.get(value);
    if (equal !== undefined) this.add(equal);
    index.prefixes?.visit(value, this.add);
    index.suffixes?.visit(value, this.add);
    this.add(index.present);
  }

  private readonly add = (numbers: readonly number[]): void => {
    for (const number of numbers) {
      if (this.foundBy[number] === this.search) continue;
      this.foundBy[number] = this.search;
      this.found[this.foundCount++] = number;
    }
  };
}

/** For each requirement, given by key, operator and text: the number of conditions that contain it. */
type Counts = ReadonlyMap<string, KeyGroupsCount>;
type KeyGroupsCount = Readonly<Record<KeyRequirement["op"], Map<string, number>>>;

function countRequirements(conditions: readonly Condition[]): Counts {
  const counts = new Map<string, KeyGroupsCount>();
  const visit = (requirement: Requirement): void => {
    if ("terms" in requirement) {
      for (const term of requirement.terms) visit(term);
      return;
    }
    const { op, text } = requirement;
    const key = indexedKey(requirement);
    let group = counts.get(key);
    if (group === undefined) {
      group = { equal: new Map(), prefix: new Map(), suffix: new Map(), present: new Map() };
      counts.set(key, group);
    }
    group[op].set(text, (group[op].get(text) ?? 0) + 1);
  };
  for (const { requirement } of conditions) visit(requirement);
  return counts;
}

/**
 * Requirements under which one condition can be stored in the index. A requirement is a simple test, such as
 * "the key env equals prod". A header that meets the condition meets at least one of these requirements, so
 * a search for the requirements that the header meets finds the condition. `cost` estimates how many
 * conditions are stored under these requirements; the index chooses requirements with a low cost.
 */
interface Choice {
  readonly requirements: readonly KeyRequirement[];
  readonly cost: number;
}

/**
 * Chooses the requirements under which a condition is stored. Returns undefined when the condition has no
 * suitable requirement; the condition is then tested for every header. `conditions`: the number of all
 * conditions in the index.
 */
function choose(requirement: Requirement, counts: Counts, conditions: number): Choice | undefined {
  if (!("terms" in requirement)) {
    const { op, text } = requirement;
    const count = counts.get(indexedKey(requirement))![op].get(text)!;
    // A requirement of the type `present` only demands that the header X-Global-Tags of the request contains a
    // key, and most headers meet it. A condition that is stored under such a requirement would be found, and
    // then tested, for all these headers. A high cost makes the index prefer another requirement of the
    // condition, if there is one.
    return { requirements: [requirement], cost: op === "present" ? count + conditions : count };
  }
  const choices = requirement.terms.map((term) => choose(term, counts, conditions));
  if (requirement.op === "and")
    return choices.reduce(
      (best, choice) => (best === undefined || (choice !== undefined && choice.cost < best.cost) ? choice : best),
      undefined,
    );
  if (choices.includes(undefined)) return undefined;
  return {
    requirements: choices.flatMap((choice) => choice!.requirements),
    cost: choices.reduce((sum, choice) => sum + choice!.cost, 0),
  };
}

function numbersOf(groups: Map<string, KeyGroups>, requirement: KeyRequirement): number[] {
  const key = indexedKey(requirement);
  let group = groups.get(key);
  if (group === undefined) {
    group = { equal: new Map(), prefix: new Map(), suffix: new Map(), present: new Map() };
    groups.set(key, group);
  }
  const { op, text } = requirement;
  let numbers = group[op].get(text);
  if (numbers === undefined) {
    numbers = [];
    group[op].set(text, numbers);
  }
  return numbers;
}

function keyIndexOf({ equal, prefix, suffix, present }: KeyGroups): KeyIndex {
  return {
    equal,
    prefixes: prefix.size > 0 ? new AffixTable(prefix, false) : undefined,
    suffixes: suffix.size > 0 ? new AffixTable(suffix, true) : undefined,
    present: present.get("") ?? [],
  };
}

function indexedKey({ key }: KeyRequirement): string {
  return isPathKey(key) ? pathKey : key;
}

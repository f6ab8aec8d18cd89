// The scripts of all namespaces (gateway and files), and the choice of the script for a write
// (docs/reference/agent.md#writes).

import type { CategoryName } from "../../../lib/point/index.ts";
import { namespaces } from "./namespaces.ts";
import type { LocalScripts, ScriptLayers, ScriptSources } from "./script-sources.ts";

/**
 * A relation, which the gateway sends: the script with the file name `name` runs over points from the source `source`.
 * This source is either the query parameter `source` of a write or the name of the points.
 */
export interface Relation {
  readonly category: CategoryName;
  readonly source: string;
  readonly name: string;
}

export interface Scripts {
  readonly layers: ScriptLayers;
  /**
   * Returns the file name of the script for a write whose query parameter `source` has the given value. Returns
   * undefined when there is no such script, or when `source` is empty.
   */
  choose(category: CategoryName, source: string): string | undefined;
  /** Replaces all scripts of the namespace `remote`, which the gateway sent. */
  setRemote(sources: ScriptSources): void;
  /** Replaces all scripts of the namespace `default`, which come from files. */
  setLocal(local: LocalScripts): void;
  /**
   * Replaces all relations (a relation assigns a script to the points of one source). When two relations concern
   * the same points, the first one is used.
   */
  relate(relations: readonly Relation[]): void;
  /** Returns whether any script could run over points of the category. */
  hasAny(category: CategoryName): boolean;
  /** Tables that say which script runs over points with a given name, when a write names no script. */
  readonly matching: Matching;
  /**
   * Replaces the default scripts that the gateway names, by category. A default script of the configuration takes
   * precedence.
   */
  setRemoteDefaults(defaults: Readonly<Record<string, string>>): void;
}

/**
 * Tables that say which script runs over points with a given name, when a write names no script
 * (docs/reference/agent.md#scripts).
 */
export interface Matching {
  /** File names of scripts, by category and by the name of the points over which the script runs. */
  readonly related: Readonly<Record<string, ReadonlyMap<string, string>>>;
  /** File names of the default scripts by category, for points whose name selects no script. */
  readonly defaults: Readonly<Record<string, string>>;
}

export interface ScriptsOptions {
  /** File names of the default scripts that the configuration names, by category. */
  readonly defaults?: Readonly<Record<string, string>>;
  readonly onChange: (layers: ScriptLayers) => void;
  readonly onMatching?: (matching: Matching) => void;
}

export function createScripts({ defaults = {}, onChange, onMatching = () => {} }: ScriptsOptions): Scripts {
  let layers: ScriptLayers = { remote: {}, default: {}, helpers: {}, patterns: {} };
  let matching: Matching = { related: {}, defaults };
  const change = (changed: Partial<ScriptLayers>) => {
    layers = { ...layers, ...changed };
    onChange(layers);
  };
  const has = (category: CategoryName, name: string) =>
    namespaces.some((namespace) => Object.hasOwn(layers[namespace][category] ?? {}, name));

  return {
    get layers() {
      return layers;
    },
    choose: (category, source) => {
      if (source === "") return undefined;
      const name = matching.related[category]?.get(source) ?? `${source}.p`;
      return has(category, name) ? name : undefined;
    },
    setRemote: (remote) => change({ remote }),
    setLocal: ({ scripts, helpers, patterns }) => change({ default: scripts, helpers, patterns }),
    relate: (relations) => {
      const byCategory: Record<string, Map<string, string>> = {};
      for (const { category, source, name } of relations.toReversed()) {
        (byCategory[category] ??= new Map()).set(source, name);
      }
      matching = { ...matching, related: byCategory };
      onMatching(matching);
    },
    hasAny: (category) => namespaces.some((namespace) => Object.keys(layers[namespace][category] ?? {}).length > 0),
    get matching() {
      return matching;
    },
    setRemoteDefaults: (remote) => {
      matching = { ...matching, defaults: { ...remote, ...defaults } };
      onMatching(matching);
    },
  };
}

// The scripts of all namespaces, and which of them a write gets (agent document, A.3.6 and B.3.2 to B.3.4).

import type { CategoryName } from "../../lib/point/category.ts";
import { type Namespace, namespaces } from "./namespaces.ts";
import type { ScriptLayers, ScriptSources } from "./protocol.ts";

/** The script, by file name, for points of a source. */
export interface Relation {
  readonly category: CategoryName;
  readonly source: string;
  readonly name: string;
}

export interface Scripts {
  readonly layers: ScriptLayers;
  /** File name of the script for `source`; undefined when none runs, as for an empty one. */
  choose(category: CategoryName, source: string): string | undefined;
  /** Replaces all scripts of a namespace. */
  replace(namespace: Namespace, sources: ScriptSources): void;
  /** Replaces all relations; of two for the same points the first counts. */
  relate(relations: readonly Relation[]): void;
}

/** `local`: those of the files. */
export function createScripts(local: ScriptSources, onChange: (layers: ScriptLayers) => void): Scripts {
  let layers: ScriptLayers = { remote: {}, default: local };
  let related = new Map<string, string>();
  const has = (category: CategoryName, name: string) =>
    namespaces.some((namespace) => Object.hasOwn(layers[namespace][category] ?? {}, name));

  return {
    get layers() {
      return layers;
    },
    choose: (category, source) => {
      if (source === "") return undefined;
      const name = related.get(keyOf(category, source)) ?? `${source}.p`;
      return has(category, name) ? name : undefined;
    },
    replace: (namespace, sources) => {
      layers = { ...layers, [namespace]: sources };
      onChange(layers);
    },
    relate: (relations) => {
      related = new Map(
        relations.toReversed().map(({ category, source, name }) => [keyOf(category, source), name] as const),
      );
    },
  };
}

function keyOf(category: CategoryName, source: string): string {
  return `${category}/${source}`;
}

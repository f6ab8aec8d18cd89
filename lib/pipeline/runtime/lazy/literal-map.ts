// A map literal of a script whose keys and values are all literals. Each evaluation gives a map of its own, but all of
// them read the same members until the script changes one of the maps.

import { compareBytes, type Value } from "../value.ts";
import { LazyMap } from "./lazy-map.ts";

/** A value that cannot be changed, so that maps may share it. */
export type Constant = Exclude<Value, Value[] | Map<string, Value>>;

export class LiteralMap extends LazyMap {
  private readonly members: ReadonlyMap<string, Constant>;

  constructor(members: ReadonlyMap<string, Constant>) {
    super();
    this.members = members;
  }

  protected find(key: string): Value | undefined {
    return this.members.get(key);
  }

  protected addTo(table: Map<string, Value>): void {
    for (const [key, value] of this.members) table.set(key, value);
  }

  protected count(): number {
    return this.members.size;
  }

  protected sorted(): readonly string[] {
    return [...this.members.keys()].sort(compareBytes);
  }
}

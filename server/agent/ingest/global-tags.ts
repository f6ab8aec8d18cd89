// The tags that the agent adds to every point (docs/reference/agent.md#global-tags): host tags, and election tags when
// a write asks for them. Host and election tags can be changed while the agent runs, except for the tag `host`.

import type { TableChange } from "../../config/edit-table.ts";
import type { ExtraTag } from "./write-request.ts";

export type Tags = Readonly<Record<string, string>>;

export interface GlobalTags {
  readonly host: Tags;
  readonly election: Tags;
  /**
   * The host tags and election tags (the two sets of global tags) together, as the agent reports them to the gateway.
   */
  readonly gateway: Tags;
  readonly electionEnabled: boolean;
  /**
   * Returns the global tags for the points of a write. `election` and `host` say whether the election tags and the
   * host tags are included. Election tags come first; when both sets contain the same key, the election tag is
   * used. Returns the same list object until the tags change.
   */
  forWrite(election: boolean, host: boolean): readonly ExtraTag[];
  /**
   * Changes one of the two sets of global tags: the host tags or the election tags. Returns the reason why the change
   * will be lost at the next start; undefined when the change is saved.
   */
  change(kind: "host" | "election", change: TableChange): string | undefined;
}

export interface GlobalTagsOptions {
  readonly hostname: string;
  readonly hostTags: Tags;
  readonly electionTags: Tags;
  readonly electionEnabled: boolean;
  /** The first IP address of the machine that is not a loopback address. */
  readonly address: string;
  /**
   * Saves a change of the tags in the given table of the configuration file. Called before the change takes
   * effect, and only when the change really alters the tags. Returns the reason why the change cannot be saved;
   * undefined when it is saved.
   */
  readonly persist: (table: "global_host_tags" | "election.tags", change: TableChange) => string | undefined;
  /** Called after each change of the host tags or election tags (two sets of global tags). */
  readonly onChange: () => void;
}

export function createGlobalTags(options: GlobalTagsOptions): GlobalTags {
  const known: Tags = { hostname: options.hostname, ip: options.address, id: options.hostname };
  const filled = (tags: Tags): Tags =>
    Object.fromEntries(
      Object.entries(tags).map(([key, value]) => {
        const placeholder = /^(?:__|\$)agent_(hostname|ip|id)$/i.exec(value)?.[1];
        return [key, placeholder === undefined ? value : known[placeholder.toLowerCase()]];
      }),
    );
  const { electionEnabled } = options;
  let host: Tags = { ...filled(options.hostTags), host: options.hostname };
  let election = electionEnabled ? filled(options.electionTags) : host;
  let gateway: Tags = { ...host, ...election };
  /**
   * Returns two lists of tags. The first list is for writes that ask for no host tags, and contains only the tags
   * `first`. The second list is for writes that ask for host tags, and contains the tags `first` and the host
   * tags.
   */
  const lists = (first: Tags): readonly (readonly ExtraTag[])[] => [
    Object.entries(first),
    [...Object.entries(first), ...Object.entries(host)],
  ];
  let withoutElectionTags = lists({});
  let withElectionTags = lists(election);

  return {
    get host() {
      return host;
    },
    get election() {
      return election;
    },
    get gateway() {
      return gateway;
    },
    electionEnabled,
    forWrite: (withElection, withHost) => (withElection ? withElectionTags : withoutElectionTags)[withHost ? 1 : 0],
    change: (kind, asked) => {
      const { host: _fixed, ...set } = asked.set;
      const change = { set, remove: asked.remove.filter((name) => name !== "host") };
      const before = kind === "host" ? host : election;
      const after = changed(before, change);
      const table = kind === "host" ? "global_host_tags" : "election.tags";
      const notKept = isSame(before, after) ? undefined : options.persist(table, change);
      gateway = changed(gateway, change);
      if (kind === "election") election = after;
      else {
        host = after;
        if (!electionEnabled) election = change.remove.length > 0 ? host : changed(election, change);
      }
      withoutElectionTags = lists({});
      withElectionTags = lists(election);
      options.onChange();
      return notKept;
    },
  };
}

function changed(tags: Tags, { set, remove }: TableChange): Tags {
  const kept = Object.entries(tags).filter(([name]) => !remove.includes(name));
  return Object.fromEntries([...kept, ...Object.entries(set)]);
}

function isSame(a: Tags, b: Tags): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
}

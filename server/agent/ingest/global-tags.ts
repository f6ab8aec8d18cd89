// The tags that are added to every point (docs/reference/agent.md#global-tags): host tags, and election tags when asked for. They
// can be changed while the agent runs; the tag `host` cannot.

import type { TableChange } from "../../config/edit-table.ts";
import type { ExtraTag } from "./write-request.ts";

export type Tags = Readonly<Record<string, string>>;

export interface GlobalTags {
  readonly host: Tags;
  readonly election: Tags;
  /** Those told to the gateway. */
  readonly gateway: Tags;
  readonly electionEnabled: boolean;
  /** Election tags first, then host tags; of two equal keys the first is added. The same list until the tags change. */
  forWrite(election: boolean, host: boolean): readonly ExtraTag[];
  /** Returns why the next start cannot have the change, where nothing keeps it. */
  change(kind: "host" | "election", change: TableChange): string | undefined;
}

export interface GlobalTagsOptions {
  readonly hostname: string;
  readonly hostTags: Tags;
  readonly electionTags: Tags;
  readonly electionEnabled: boolean;
  /** First address of the machine that is not loopback. */
  readonly address: string;
  /** Called before a change that changes something, with the table of the configuration file it belongs to. */
  readonly persist: (table: "global_host_tags" | "election.tags", change: TableChange) => string | undefined;
  /** Called after a change. */
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
  /** What `forWrite` gives: without host tags, with them. */
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

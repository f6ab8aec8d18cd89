// The tags that are added to every point (agent document, A.7 and B.1): host tags, and election tags when asked for.

import type { ExtraTag } from "./protocol.ts";

export interface GlobalTags {
  readonly host: Readonly<Record<string, string>>;
  readonly election: Readonly<Record<string, string>>;
  /** Election tags first, then host tags; of two equal keys the first is added. */
  forWrite(election: boolean, host: boolean): readonly ExtraTag[];
}

export function createGlobalTags(options: {
  readonly hostname: string;
  readonly hostTags: Readonly<Record<string, string>>;
  readonly electionTags: Readonly<Record<string, string>>;
  readonly electionEnabled: boolean;
  /** First address of the machine that is not loopback. */
  readonly address: string;
}): GlobalTags {
  const known: Readonly<Record<string, string>> = {
    hostname: options.hostname,
    ip: options.address,
    id: options.hostname,
  };
  const filled = (tags: Readonly<Record<string, string>>) =>
    Object.fromEntries(
      Object.entries(tags).map(([key, value]) => {
        const placeholder = /^(?:__|\$)agent_(hostname|ip|id)$/i.exec(value)?.[1];
        return [key, placeholder === undefined ? value : known[placeholder.toLowerCase()]];
      }),
    );
  const host = { ...filled(options.hostTags), host: options.hostname };
  const election = options.electionEnabled ? filled(options.electionTags) : host;
  return {
    host,
    election,
    forWrite: (withElection, withHost) => [
      ...(withElection ? Object.entries(election) : []),
      ...(withHost ? Object.entries(host) : []),
    ],
  };
}

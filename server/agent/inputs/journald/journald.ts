// The input `journald` (docs/inputs.md#journald): entries of the journal of systemd become logs. Its settings are
// declared in server/config/settings/inputs-journald.ts.

import type { Input } from "../input.ts";

export const journald: Input = {
  name: "journald",
  routes: [],
  open: async (agent, host) => {
    if (!agent.config["inputs.journald.enable"]) return undefined;
    const { openJournald } = await import("./follow.ts");
    return openJournald(agent, host);
  },
};

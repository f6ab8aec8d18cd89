// The input `syslog` (docs/inputs.md#syslog): receives messages of RFC 5424 and RFC 3164 over UDP, TCP, TLS and Unix
// sockets. Its settings are declared in server/config/settings/inputs-syslog.ts, its metrics in
// server/telemetry/syslog-metrics.ts. The code that receives messages is loaded only when the configuration has an
// entry for this input.

import type { Input } from "../input.ts";

export const syslog: Input = {
  name: "syslog",
  routes: [],
  open: async (agent, host) => {
    const entries = agent.config["inputs.syslog"];
    if (entries.length === 0) return undefined;
    const { openSyslog } = await import("./receiver.ts");
    return await openSyslog(entries, agent, host);
  },
};

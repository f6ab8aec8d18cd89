// The sources of scripts (docs/reference/agent.md#scripts). When several have a script of the same name, the earlier
// source wins.

/** `remote`: scripts of the gateway. `default`: scripts of the files. */
export const namespaces = ["remote", "default"] as const;

export type Namespace = (typeof namespaces)[number];

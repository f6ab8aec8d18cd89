// The places scripts come from (docs/reference/agent.md#scripts): of scripts of the same name, that of an earlier one is in force.

/** What the gateway gave, and the files. */
export const namespaces = ["remote", "default"] as const;

export type Namespace = (typeof namespaces)[number];

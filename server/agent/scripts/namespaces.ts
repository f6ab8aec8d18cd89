// The namespaces of scripts, one for each source from which scripts come (docs/reference/agent.md#scripts). When
// several namespaces have a script of the same name, the first namespace in the list wins.

/** `remote`: scripts that the gateway sent. `default`: scripts from files. */
export const namespaces = ["remote", "default"] as const;

export type Namespace = (typeof namespaces)[number];

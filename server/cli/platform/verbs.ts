// The commands of `millrace platform` that maintain the points store.

export const verbs = ["check", "repair", "backup", "restore", "export"] as const;

export type Verb = (typeof verbs)[number];

export function isVerb(name: string | undefined): name is Verb {
  return (verbs as readonly (string | undefined)[]).includes(name);
}

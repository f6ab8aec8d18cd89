// The fragment of the page's URL. It names the mode that is shown, holds the project of a share link, or both:
// `#/convert`, `#p1.…` (a link of a pipeline, the only form of older pages), `#/convert/p1.…`.

export interface Address {
  /** Name of the mode; null when the fragment names none. */
  readonly mode: string | null;
  /** The project as `shareFragment` writes it, in any version of its form; null when the fragment has none. */
  readonly project: string | null;
}

/** Prefix that names the version of a project's form in a link. A new form gets a new prefix. */
export const projectPrefix = "p1.";
const anyPrefix = /^p[1-9]\d*\./;

/** Reads a fragment, with or without `#`. */
export function readAddress(fragment: string): Address {
  const [, mode = null, rest = ""] = /^#?(?:\/([a-z]*)\/?)?(.*)$/s.exec(fragment)!;
  return { mode: mode === "" ? null : mode, project: anyPrefix.test(rest) ? rest : null };
}

/** Returns the fragment of an address, with `#`; empty when the address names nothing. */
export function addressText({ mode, project }: Address): string {
  if (mode === null) return project === null ? "" : `#${project}`;
  return project === null ? `#/${mode}` : `#/${mode}/${project}`;
}

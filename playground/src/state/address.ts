// The fragment of the page's URL. It names the mode that is shown, holds the project of a share link, or both:
// `#/convert`, `#p1.…` (a project in the pipeline mode; older pages made only such links), `#/convert/p1.…`.

export interface Address {
  /** Name of the mode; null when the fragment names none. */
  readonly mode: string | null;
  /**
   * The compressed project that `shareFragment` returns, in any version of its encoding; null when the fragment has
   * none.
   */
  readonly project: string | null;
}

/**
 * First characters of a project in a link. They name the version of its encoding, so a new encoding gets another
 * prefix.
 */
export const projectPrefix = "p1.";
const anyPrefix = /^p[1-9]\d*\./;

/** Reads the fragment of a URL, with or without `#`. */
export function readAddress(fragment: string): Address {
  const [, mode = null, rest = ""] = /^#?(?:\/([a-z]*)\/?)?(.*)$/s.exec(fragment)!;
  return { mode: mode === "" ? null : mode, project: anyPrefix.test(rest) ? rest : null };
}

/** Returns the fragment for the mode and project, with `#`; empty when both are null. */
export function addressText({ mode, project }: Address): string {
  if (mode === null) return project === null ? "" : `#${project}`;
  return project === null ? `#/${mode}` : `#/${mode}/${project}`;
}

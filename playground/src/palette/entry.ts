// An entry of the command palette, and the order of the entries that a search finds.

export type EntryKind = "action" | "setting" | "pane" | "mode" | "example" | "draft" | "function" | "pattern";

export interface Entry {
  readonly kind: EntryKind;
  /** Name of the entry, in the language of the page. */
  readonly title: string;
  /** A short description, or the part of the page that the entry belongs to; may be empty. */
  readonly about: string;
  /** Further texts that a search finds and the palette does not show, such as the English name; may be empty. */
  readonly words: string;
  /** The keys that do the same, such as `Ctrl+Enter`; may be empty. */
  readonly keys: string;
  /** Does what the entry says. The palette calls it after it has closed. */
  run(): unknown;
}

/**
 * Kinds that a palette without a search text leaves out. There are hundreds of patterns, and functions and settings say
 * little to a user who does not search for them.
 */
const searchedOnly: ReadonlySet<EntryKind> = new Set(["setting", "function", "pattern"]);

/**
 * Returns the entries that contain all words of the search text, the best first. An entry whose title begins with the
 * text is better than one with a word of the title that begins so, and this is better than a description that contains
 * it. Entries that are equally good stay in their order.
 */
export function matching(entries: readonly Entry[], text: string): readonly Entry[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === "") return entries.filter(({ kind }) => !searchedOnly.has(kind));
  const words = wanted.split(/\s+/);
  return entries
    .map((entry) => ({ entry, rank: rankOf(entry, wanted, words) }))
    .filter(({ rank }) => rank !== null)
    .sort((a, b) => a.rank! - b.rank!)
    .map(({ entry }) => entry);
}

/** Returns how well an entry fits a search text, where 0 is best; null when a word of the text is missing. */
function rankOf({ title, about, words: hidden }: Entry, wanted: string, words: readonly string[]): number | null {
  const name = title.toLowerCase();
  const names = `${name}\n${hidden.toLowerCase()}`;
  if (name === wanted) return 0;
  if (name.startsWith(wanted)) return 1;
  if (words.every((word) => beginsWord(names, word))) return 2;
  if (words.every((word) => names.includes(word))) return 3;
  const all = `${names}\n${about.toLowerCase()}`;
  return words.every((word) => all.includes(word)) ? 4 : null;
}

/**
 * Returns whether a word of the text begins with `start`. The parts of `date_time` and of `IPORHOST:client` are words.
 */
function beginsWord(text: string, start: string): boolean {
  for (let at = text.indexOf(start); at >= 0; at = text.indexOf(start, at + 1))
    if (at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1]!)) return true;
  return false;
}

// Returns the texts of the page in the language of the page. A catalogue of translations has the English texts
// as keys. Workers use this file too, so it must not depend on Svelte or on the document.

/**
 * A catalogue of translations. Its keys are the English texts. A translation has the same placeholders in braces as its
 * English text.
 */
export type Texts = Readonly<Record<string, string>>;

let texts: Texts | null = null;
let noteRead = () => {};

/**
 * Shows texts of this catalogue from now on; null shows English. A text that the catalogue lacks is shown in English.
 */
export function useTexts(catalogue: Texts | null): void {
  texts = catalogue;
}

/**
 * Sets the function that is called whenever a text is read, so that the page can draw the text again when the language
 * changes.
 */
export function onRead(note: () => void): void {
  noteRead = note;
}

/**
 * Returns a text in the language of the page. `values` replace the names in braces:
 * `t("{n} of {all}", { n: 3, all: 5 })` is "3 of 5" in English. The caller passes a literal, or a text that was marked
 * by `english`, so that the test that looks for missing translations finds the text.
 */
export function t(text: string, values?: Readonly<Record<string, string | number>>): string {
  noteRead();
  const own = texts?.[text] ?? text;
  return values === undefined ? own : own.replace(/\{(\w+)\}/g, (name, key: string) => String(values[key] ?? name));
}

/** Returns the English text of a text that the page shows; the text itself when it is not translated. */
export function original(shown: string): string {
  return Object.entries(texts ?? {}).find(([, text]) => text === shown)?.[0] ?? shown;
}

/**
 * Returns its argument. A call of this function marks a text that other code passes to `t`, so that the test that looks
 * for missing translations finds the text.
 */
export const english = <Text extends string>(text: Text): Text => text;

/** Returns whether the page shows another language than English. */
export function isTranslated(): boolean {
  noteRead();
  return texts !== null;
}

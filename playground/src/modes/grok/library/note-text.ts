// Writes an error or warning about an expression, with its hint, as text.

/** Returns the message, followed by the hint as a sentence of its own. */
export function noteText({ message, hint }: { readonly message: string; readonly hint: string }): string {
  return hint === "" ? message : `${message}. ${hint[0]!.toUpperCase()}${hint.slice(1)}`;
}

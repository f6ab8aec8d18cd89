// Writes a mistake with its hint as text.

/** Returns the message, and the hint as a sentence behind it. */
export function noteText({ message, hint }: { readonly message: string; readonly hint: string }): string {
  return hint === "" ? message : `${message}. ${hint[0]!.toUpperCase()}${hint.slice(1)}`;
}

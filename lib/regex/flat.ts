// Handles long texts that are joined from many short pieces.

/**
 * Number of pieces after which a growing text is flattened: V8 keeps a node of 32 bytes for each piece until the text
 * is read.
 */
export const mostPieces = 256;

/** Returns the text as one flat string: reading a character makes the engine join the pieces. */
export function flat(text: string): string {
  text.charCodeAt(0);
  return text;
}

// Long texts that are made of many short pieces.

/** Pieces of a text that grows: V8 keeps a node of 32 bytes for each of them until somebody reads the text. */
export const mostPieces = 256;

/** Returns a text whose characters lie in one place: reading one of them has the engine join the pieces. */
export function flat(text: string): string {
  text.charCodeAt(0);
  return text;
}

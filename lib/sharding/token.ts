// Tokens of workspaces in URLs: where they stand, what they look like, how they are shown without being told.

const shape = /^(?:(?:tkn|token)_[A-Za-z0-9]{32}|tokn_[A-Za-z0-9]{24})$/;

export function hasTokenShape(token: string): boolean {
  return shape.test(token);
}

/** First four and last five characters; short ones not at all. */
export function maskToken(token: string): string {
  return token.length < 20 ? "***" : `${token.slice(0, 4)}***${token.slice(-5)}`;
}

/** Any text with the values of `token=` masked, and what else looks like a token wherever it stands. */
export function maskTokens(text: string): string {
  return text
    .replace(/(\btoken=)([^&#"\s]*)/gi, (_all, name: string, token: string) => name + maskToken(token))
    .replace(/(?:tkn|token|tokn)_[A-Za-z0-9]{16,}/g, maskToken);
}

// Finds the workspace tokens in URLs, checks their syntax, and masks them for messages.

const shape = /^(?:(?:tkn|token)_[A-Za-z0-9]{32}|tokn_[A-Za-z0-9]{24})$/;

/**
 * Returns whether a string has the syntax of a token.
 *
 * @example
 * hasTokenShape("tkn_1"); // false
 */
export function hasTokenShape(token: string): boolean {
  return shape.test(token);
}

/**
 * Returns the token with all but its first four and last five characters masked; a short token is masked completely.
 *
 * @example
 * maskToken("tkn_0123456789abcdef0123456789abcdef"); // "tkn_***bcdef"
 */
export function maskToken(token: string): string {
  return token.length < 20 ? "***" : `${token.slice(0, 4)}***${token.slice(-5)}`;
}

/**
 * Returns the text with the values of `token=` masked, and also everything else that has the syntax of a token.
 *
 * @example
 * maskTokens("https://a.example/?token=tkn_0123456789abcdef"); // "https://a.example/?token=tkn_***bcdef"
 */
export function maskTokens(text: string): string {
  return text
    .replace(/(\btoken=)([^&#"\s]*)/gi, (_all, name: string, token: string) => name + maskToken(token))
    .replace(/(?:tkn|token|tokn)_[A-Za-z0-9]{16,}/g, maskToken);
}

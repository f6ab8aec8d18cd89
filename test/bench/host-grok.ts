// Converts grok expressions to sources for JavaScript's own RegExp, the baseline of the grok benchmarks.

export function hostRegex(regex: string): RegExp {
  return new RegExp(hostSource(regex, "(?<"));
}

/**
 * Expands a grok expression to a regular expression for engines in which every unnamed group captures, and returns its
 * source. Unnamed groups become non-capturing groups, and named groups begin with `opener`.
 */
export function hostSource(regex: string, opener: "(?<" | "(?P<"): string {
  let source = "";
  let inClass = false;
  for (let at = 0; at < regex.length; at++) {
    const c = regex[at]!;
    if (c === "\\") source += c + regex[++at];
    else if (!inClass && regex.startsWith("(?P<", at)) {
      source += opener;
      at += 3;
    } else if (!inClass && c === "(" && regex[at + 1] !== "?") source += "(?:";
    else {
      if (c === "[") inClass = true;
      if (c === "]") inClass = false;
      source += c;
    }
  }
  return source;
}

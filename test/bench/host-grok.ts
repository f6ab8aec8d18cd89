// Grok expressions for the host's RegExp, the baseline of the benchmarks.

export function hostRegex(regex: string): RegExp {
  return new RegExp(hostSource(regex, "(?<"));
}

/**
 * Returns the expansion of a grok expression for engines in which groups without a name capture: these groups are
 * made non-capturing; `opener` begins a named group.
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

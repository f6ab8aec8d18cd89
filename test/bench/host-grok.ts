// Grok expressions for the host's RegExp, the baseline of the benchmarks.

export function hostRegex(regex: string): RegExp {
  return new RegExp(hostSource(regex, "(?<"));
}

/** The expansion of a grok expression for engines where groups without a name capture: those do not; `opener` begins those with one. */
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

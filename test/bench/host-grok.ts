// Grok expressions for the host's RegExp, the baseline of the benchmarks.

/** The expansion of a grok expression as the host reads it: groups without a name do not capture. */
export function hostRegex(regex: string): RegExp {
  let source = "";
  let inClass = false;
  for (let at = 0; at < regex.length; at++) {
    const c = regex[at]!;
    if (c === "\\") source += c + regex[++at];
    else if (!inClass && regex.startsWith("(?P<", at)) {
      source += "(?<";
      at += 3;
    } else if (!inClass && c === "(" && regex[at + 1] !== "?") source += "(?:";
    else {
      if (c === "[") inClass = true;
      if (c === "]") inClass = false;
      source += c;
    }
  }
  return new RegExp(source);
}

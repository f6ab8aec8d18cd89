// Parses replacement templates, as Go's Expand does: `$1`, `${1}`, `$name` and `${name}` stand for groups, `$$` for
// `$`. A name is the longest sequence of letters, digits and underscores; any other `$` stands for itself.

/** A part of a template: literal text, or a group that is given by number or name. */
export type TemplatePart = string | { readonly group: number | string };

export function parseTemplate(template: string): readonly TemplatePart[] {
  const parts: TemplatePart[] = [];
  let copied = 0;
  for (const match of template.matchAll(/\$(?:\$|([\p{L}\p{Nd}_]+)|\{([\p{L}\p{Nd}_]+)\})/gu)) {
    if (match.index > copied) parts.push(template.slice(copied, match.index));
    const name = match[1] ?? match[2];
    if (name === undefined) parts.push("$");
    else parts.push({ group: /^(?:0|[1-9]\d*)$/.test(name) ? Number(name) : name });
    copied = match.index + match[0].length;
  }
  if (copied < template.length) parts.push(template.slice(copied));
  return parts;
}

// Pieces of SQL with their bound parameters. Text of the user is only ever a parameter; names of columns are the catalog's own.

export type Parameter = string | number | bigint | boolean;

export interface Fragment {
  readonly sql: string;
  readonly parameters: readonly Parameter[];
}

/** Fragments are put in as they are, everything else as a parameter. */
export function sql(texts: TemplateStringsArray, ...parts: (Fragment | Parameter)[]): Fragment {
  let text = texts[0]!;
  const parameters: Parameter[] = [];
  for (const [at, part] of parts.entries()) {
    if (typeof part === "object") {
      text += part.sql;
      parameters.push(...part.parameters);
    } else {
      text += "?";
      parameters.push(part);
    }
    text += texts[at + 1]!;
  }
  return { sql: text, parameters };
}

/** SQL that this program wrote itself. */
export function raw(text: string): Fragment {
  return { sql: text, parameters: [] };
}

export function joined(parts: readonly Fragment[], separator: string): Fragment {
  return {
    sql: parts.map((part) => part.sql).join(separator),
    parameters: parts.flatMap(({ parameters }) => parameters),
  };
}

/** The parameters put in as literals: for people to read, not to be run. */
export function inlined({ sql: text, parameters }: Fragment): string {
  let at = 0;
  return text.replace(/\?/g, () => {
    const value = parameters[at++];
    return typeof value === "string" ? `'${value.replaceAll("'", "''")}'` : String(value);
  });
}

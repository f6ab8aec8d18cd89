// Fragments of SQL with their bound parameters. Text from users always becomes a parameter and never SQL; names of
// tables and columns are quoted by the dialect.

export type Parameter = string | number | bigint | boolean;

/** A fragment of SQL with its parameters. */
export interface Fragment {
  /** The pieces of SQL before, between and after the parameters. There is one piece more than there are parameters. */
  readonly texts: readonly string[];
  readonly parameters: readonly Parameter[];
}

/** Makes a fragment from a template string: inserts fragments as they are, and every other value as a parameter. */
export function sql(texts: TemplateStringsArray, ...parts: (Fragment | Parameter)[]): Fragment {
  const pieces: Fragment[] = [raw(texts[0]!)];
  for (const [at, part] of parts.entries()) {
    pieces.push(typeof part === "object" ? part : { texts: ["", ""], parameters: [part] }, raw(texts[at + 1]!));
  }
  return joined(pieces, "");
}

/** Makes a fragment from an SQL string, which must not contain text from users. */
export function raw(text: string): Fragment {
  return { texts: [text], parameters: [] };
}

export function joined(parts: readonly Fragment[], separator: string): Fragment {
  const texts: string[] = [""];
  const parameters: Parameter[] = [];
  for (const [at, part] of parts.entries()) {
    texts[texts.length - 1] += (at === 0 ? "" : separator) + part.texts[0];
    for (let next = 1; next < part.texts.length; next++) texts.push(part.texts[next]!);
    for (const parameter of part.parameters) parameters.push(parameter);
  }
  return { texts, parameters };
}

/** Returns the SQL string for the database, with a placeholder for each parameter. */
export function written(
  { texts, parameters }: Fragment,
  placeholder: (parameter: Parameter, at: number) => string,
): string {
  return texts.map((text, at) => (at === 0 ? text : placeholder(parameters[at - 1]!, at - 1) + text)).join("");
}

/**
 * Returns the SQL string with the parameters written as literals. It is for people to read and must not be run.
 *
 * @example
 * inlined({ texts: ["a = ", ""], parameters: ["x"] }); // "a = 'x'"
 */
export function inlined(fragment: Fragment): string {
  return written(fragment, (value) => (typeof value === "string" ? `'${value.replaceAll("'", "''")}'` : String(value)));
}

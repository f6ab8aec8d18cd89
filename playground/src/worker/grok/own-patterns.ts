// Reads the grok patterns that a user defines in a project (scripts, inputs and settings). Each line of the text has
// one definition: a name, white space and an expression. Lines that are empty or begin with `#` are skipped.

import { english, t } from "../../text/translate.ts";
import { builtinDefinitions, checkExpression, fromLogstash, GrokError } from "./engine.ts";
import type { Imported, Note, OwnPatterns } from "./workbench.ts";

const validName = /^[0-9A-Za-z_]+(?:[.-][0-9A-Za-z_]+)*$/;

interface DefinitionLine {
  /** Number of the line with the definition, from 1. */
  readonly line: number;
  readonly name: string;
  readonly definition: string;
  /** UTF-16 offsets of the name and of the definition in the text. */
  readonly nameAt: number;
  readonly definitionAt: number;
}

function* definitionLines(text: string): Generator<DefinitionLine> {
  let start = 0;
  for (const [index, content] of text.split("\n").entries()) {
    const found = /^(\s*)([^\s#]\S*)(?:([ \t]+)(.*))?$/.exec(content.replace(/\r$/, ""));
    if (found !== null) {
      const [, indent = "", name = "", space = "", definition = ""] = found;
      const nameAt = start + indent.length;
      yield { line: index + 1, name, definition, nameAt, definitionAt: nameAt + name.length + space.length };
    }
    start += content.length + 1;
  }
}

/**
 * Returns the definitions of a text by name. When the text defines a name several times, the function uses the
 * first definition, as the script function `add_pattern` does.
 */
export function readPatterns(text: string): Record<string, string> {
  const definitions: Record<string, string> = Object.create(null);
  for (const { name, definition } of definitionLines(text))
    if (definition !== "" && validName.test(name) && !(name in definitions)) definitions[name] = definition;
  return definitions;
}

const nameRule = english("a name has letters, digits and _, with . or - between them");

/** Returns the names that a text defines, and its errors and warnings with their positions. */
export function checkPatterns(text: string): OwnPatterns {
  const patterns = readPatterns(text);
  const notes: Note[] = [];
  const seen = new Set<string>();
  for (const { name, definition, nameAt, definitionAt } of definitionLines(text)) {
    const atName = (severity: Note["severity"], message: string, hint = "") =>
      notes.push({ severity, message, hint, from: nameAt, to: nameAt + name.length });
    if (!validName.test(name)) atName("error", t(nameRule), t("a comment begins with #"));
    else if (definition === "")
      atName("error", t("{name} has no definition", { name }), t("write the name, a space, the expression"));
    else if (seen.has(name)) atName("warning", t("{name} is defined above; this line does not count", { name }));
    else {
      if (builtinDefinitions.has(name))
        atName(
          "warning",
          t("{name} hides the built-in pattern", { name }),
          t("built-in patterns that refer to it keep the old one"),
        );
      for (const { severity, message, hint, span } of checkExpression(definition, { patterns }))
        notes.push({ severity, message, hint, from: definitionAt + span[0], to: definitionAt + span[1] });
    }
    seen.add(name);
  }
  return { names: Object.keys(patterns), notes };
}

/**
 * Converts a pattern file of Logstash, in which `.` also matches line breaks, to the syntax of the project's patterns.
 * A name of the Elastic Common Schema such as `[source][address]` becomes `source.address`.
 */
export function importFile(file: string, text: string): Imported {
  const lines = [`# from ${file.replace(/\s+/g, " ")}`];
  const problems: { line: number; name: string; reason: string }[] = [];
  let count = 0;
  for (const { line, name, definition } of definitionLines(text)) {
    try {
      if (!validName.test(name)) throw new GrokError(t(nameRule));
      if (definition === "") throw new GrokError(t("the definition is missing"));
      lines.push(`${name} ${plainFields(fromLogstash(definition))}`);
      count++;
    } catch (error) {
      if (!(error instanceof GrokError)) throw error;
      problems.push({ line, name, reason: error.message });
      lines.push(`# ${name} ${definition}`);
    }
  }
  return { text: `${lines.join("\n")}\n`, count, problems };
}

function plainFields(definition: string): string {
  const dotted = (field: string) => field.slice(1, -1).replaceAll("][", ".");
  return definition
    .replace(
      /(%\{[\w.-]+:)((?:\[[^\][{}:<>]+\])+)(?=[:}])/g,
      (_, start: string, field: string) => start + dotted(field),
    )
    .replace(
      /(\(\?P?<)((?:\[[^\][{}:<>]+\])+)>/g,
      (_, start: string, field: string) => `${start}${dotted(field).replace(/\W/g, "_")}>`,
    );
}

const REFERENCE = /%\{([0-9A-Za-z_.-]+)(?::[^{}]*)?\}/g;

/**
 * Returns the patterns of the project that an expression needs. Each pattern comes after the patterns to which it
 * refers.
 */
export function neededPatterns(
  expression: string,
  text: string,
): readonly { readonly name: string; readonly definition: string }[] {
  const patterns = readPatterns(text);
  const needed = new Map<string, string>();
  const entered = new Set<string>();
  const visit = (source: string): void => {
    for (const [, name] of source.matchAll(REFERENCE)) {
      const definition = name === undefined ? undefined : patterns[name];
      if (name === undefined || definition === undefined || entered.has(name)) continue;
      entered.add(name);
      visit(definition);
      needed.set(name, definition);
    }
  };
  visit(expression);
  return Array.from(needed, ([name, definition]) => ({ name, definition }));
}

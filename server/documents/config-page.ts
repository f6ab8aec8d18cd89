// Generates the page docs/config.md from the declarations of all settings.

import { misfitOf, mistakesIn } from "../config/check-value.ts";
import { type SettingName, schema } from "../config/schema.ts";
import type { Fields, Setting, SettingKind } from "../config/setting.ts";
import { serviceNames, servicesOf } from "../config/settings-by-service.ts";
import { bytesText, code, markdownTable } from "./markdown.ts";

const intro = `# Settings

This page lists every setting. \`npm run docs\` writes it from the declarations in the code; \`millrace config init\` writes a file with all
of them, and \`millrace config check FILE\` checks one.

Settings come from a TOML file (\`--config FILE\`), from environment variables, and from options of the command line. An option wins over
a variable, a variable over the file. A setting \`http_api.timeout\` is the key \`timeout\` in the table \`[http_api]\`.

| What is wrong | What happens |
|---|---|
| A value does not fit | The service does not start. Each mistake has a line: \`agent.toml:3: http_api.max_body_bytes must be a whole number of at least 1, got 0\`; the column "must be" below shows that text. The exit code is 1. |
| A running service reads a file with mistakes | The service keeps its old settings and logs the mistakes. |
| A key is unknown | A warning names the line, and a similar key when there is one. |
| A duration is zero | A warning; the default is used. |

Types: a *duration* is text such as \`30s\`, \`1m30s\` or \`168h\`. Lists in variables have commas between their texts, or are JSON. A table in a
variable is written \`a=1,b=2\`, or as JSON. A *switch* has a third state, unset. Variables of booleans take \`true\` and \`false\`; those marked
*presence* switch the setting on with any text. A *secret* may be \`file:PATH\`: the text of that file.
`;

/** Returns the page docs/config.md in Markdown. */
export function configPage(): string {
  const sections = new Map<string, SettingName[]>();
  for (const name of Object.keys(schema) as SettingName[]) {
    const isEntries = schema[name].kind === "entries";
    const section = isEntries ? name : name.split(".").slice(0, -1).join(".");
    sections.set(section, [...(sections.get(section) ?? []), name]);
  }
  return [intro, ...[...sections].map(([section, names]) => sectionText(section, names))].join("\n");
}

function sectionText(section: string, names: readonly SettingName[]): string {
  const title = section === "" ? "Top of the file" : `\\[${section}\\]`;
  const [{ fields, summary }]: readonly Setting[] = names.map((name) => schema[name]);
  if (fields !== undefined) return entriesText(names[0]!, fields, summary);
  const readers = names.map((name) => servicesText(name));
  const isSame = readers.every((text) => text === readers[0]);
  const head = [
    "Key",
    ...(isSame ? [] : ["Read by"]),
    "Type",
    "Default",
    "Unit",
    "Variable",
    "What it sets",
    "Must be",
  ];
  const rows = names.map((name, at) => {
    const [key, ...cells] = rowOf(name.split(".").at(-1)!, schema[name]);
    return [key!, ...(isSame ? [] : [readers[at]!]), ...cells];
  });
  const note = isSame ? `Read by: ${readers[0]}.\n\n` : "";
  return `## ${title}\n\n${note}${markdownTable(head, rows)}`;
}

/**
 * Returns the section of the page about a setting that is an array of tables (`[[name]]` in TOML). The section
 * says which thing one entry describes, and has a table with one row for each setting of an entry.
 */
function entriesText(name: SettingName, fields: Fields, summary: string): string {
  const head = ["Key", "Type", "Default", "Unit", "Variable", "What it sets", "Must be"];
  const rows = Object.entries(fields).map(([key, field]) => rowOf(key, field));
  const note = `Read by: ${servicesText(name)}. Each \`[[${name}]]\` is one of them: ${summary}.`;
  return `## \\[\\[${name}\\]\\]\n\n${note}\n\n${markdownTable(head, rows)}`;
}

function rowOf(key: string, setting: Setting): string[] {
  const { unit = "", summary } = setting;
  const type = [typeText(setting), defaultText(setting), unit, variableText(setting)];
  return [code(key), ...type, summary, wantedText(setting)];
}

function servicesText(name: SettingName): string {
  const services = servicesOf(name);
  return services.length === serviceNames.length ? "every service" : services.join(", ");
}

const typeNames: Readonly<Record<SettingKind, string>> = {
  text: "text",
  bool: "boolean",
  switch: "switch",
  int: "whole number",
  float: "number",
  duration: "duration",
  texts: "list of texts",
  table: "table of texts",
  tables: "tables of texts",
  lists: "table of lists of texts",
  entries: "array of tables",
};

function typeText({ kind, secret }: Setting): string {
  return secret === true ? `${typeNames[kind]}, secret` : typeNames[kind];
}

function defaultText({ kind, default: value, unit }: Setting): string {
  if (value === "unset") return "unset";
  if (value === "" || (typeof value === "object" && Object.keys(value).length === 0)) return "empty";
  if (kind === "int" && unit === "bytes" && (value as number) > 0) return bytesText(value as number);
  return code(String(value));
}

function variableText({ env, envPresence }: Setting): string {
  if (env === undefined) return "";
  return envPresence === true ? `${code(env)} (presence)` : code(env);
}

/**
 * Describes in words which values a setting accepts. To find the words, this function checks wrong values of all
 * types and collects the error messages, which say what the value must be.
 */
function wantedText(setting: Setting): string {
  const { kind, min, max } = setting;
  const entries = { "\u0001": "\u0001" };
  const isNumber = kind === "int" || kind === "float";
  const tooSmall = isNumber && min !== undefined ? mistakesIn(setting, min - 1) : [];
  const tooLarge = max === undefined ? [] : mistakesIn(setting, isNumber ? max + 1 : "2562047h");
  const bounded = [...tooSmall, ...tooLarge];
  const texts = [
    ...(bounded.length > 0 ? bounded : mistakesIn(setting, null)).map(({ text }) => text),
    misfitOf(setting, kind === "texts" ? ["\u0001"] : "\u0001") ?? "",
    ...(kind === "table" ? (setting.mistakes?.(entries) ?? []) : []).map(({ text }) => `: a key${text}`),
  ];
  const plain = texts.map((text) => text.replace(/, got .*$/s, "").replace(/^:? (?:must be )?/, "")).filter(Boolean);
  const hasForm = setting.form !== undefined;
  const shown = plain.filter((text) => (hasForm ? text !== "a text" : !text.endsWith("without control characters")));
  return [...new Set(shown)].join("; ");
}

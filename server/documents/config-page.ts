// Generates the page docs/config.md from the declarations of all settings.

import { misfitOf, mistakesIn } from "../config/check-value.ts";
import { type SettingName, schema } from "../config/schema.ts";
import type { Setting, SettingKind } from "../config/setting.ts";
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

/** Returns the page in Markdown. */
export function configPage(): string {
  const sections = new Map<string, SettingName[]>();
  for (const name of Object.keys(schema) as SettingName[]) {
    const section = name.split(".").slice(0, -1).join(".");
    sections.set(section, [...(sections.get(section) ?? []), name]);
  }
  return [intro, ...[...sections].map(([section, names]) => sectionText(section, names))].join("\n");
}

function sectionText(section: string, names: readonly SettingName[]): string {
  const title = section === "" ? "Top of the file" : `\\[${section}\\]`;
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
    const setting: Setting = schema[name];
    return [
      code(name.split(".").at(-1)!),
      ...(isSame ? [] : [readers[at]!]),
      typeText(setting),
      defaultText(setting),
      setting.unit ?? "",
      variableText(setting),
      setting.summary,
      wantedText(setting),
    ];
  });
  const note = isSame ? `Read by: ${readers[0]}.\n\n` : "";
  return `## ${title}\n\n${note}${markdownTable(head, rows)}`;
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
 * Describes in words which values a setting accepts. The words come from error messages: the function checks values
 * that are wrong in each possible respect and collects the messages.
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

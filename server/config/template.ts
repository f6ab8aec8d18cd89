// Generates the configuration file that `millrace config init` writes. The file contains every setting with its
// meaning and its default; each setting is commented out.

import { stringify } from "smol-toml";
import { schema } from "./schema.ts";
import type { Fields, Setting } from "./setting.ts";

export function configTemplate(): string {
  const sections = new Map<string, string[]>([["", []]]);
  for (const [name, setting] of Object.entries(schema) as [string, Setting][]) {
    const isMap = ["table", "tables", "lists", "entries"].includes(setting.kind);
    const parts = name.split(".");
    const section = isMap ? name : parts.slice(0, -1).join(".");
    const lines = sections.get(section) ?? [];
    sections.set(section, lines);
    lines.push("", `# ${describe(setting)}`);
    if (setting.fields !== undefined) lines.push(...entryLines(name, setting.fields));
    else lines.push(settingLine(name, setting));
  }
  const texts = [...sections].map(([section, lines]) => {
    const hasHeader = section !== "" && (schema as Record<string, Setting>)[section]?.kind !== "entries";
    return (hasHeader ? [`[${section}]`, ...lines.slice(1)] : lines.slice(1)).join("\n");
  });
  return `# Millrace agent and gateway. Each line below shows a default; remove the "#" before a key to change it.\n\n${texts.join("\n\n")}\n`;
}

/** Returns the lines of an entry of an array of tables: its header, and each of its settings with its meaning. */
function entryLines(name: string, fields: Fields): string[] {
  const settings = Object.entries(fields).flatMap(([key, field]) => [
    `# ${describe(field)}`,
    field.example === undefined ? settingLine(key, field) : `#${field.example}`,
  ]);
  return [`#[[${name}]]`, ...settings];
}

function settingLine(name: string, setting: Setting): string {
  const key = name.split(".").at(-1)!;
  switch (setting.kind) {
    case "tables":
      return `#[${name}.NAME]\n#key = "value"`;
    case "table":
      return `#${setting.example ?? 'key = "value"'}`;
    case "lists":
      return `#logging = ["{ source = 'noise' and level in ['debug', 'trace'] }"]`;
    case "switch":
      return `#${key} = true`;
    default:
      return `#${stringify({ [key]: setting.default }).trim()}`;
  }
}

function describe({ summary, env, choices, secret }: Setting): string {
  const notes = [
    ...(choices === undefined ? [] : [choices.join(" or ")]),
    ...(secret ? ['also "file:PATH"'] : []),
    ...(env === undefined ? [] : [env]),
  ];
  return notes.length === 0 ? summary : `${summary} (${notes.join("; ")})`;
}

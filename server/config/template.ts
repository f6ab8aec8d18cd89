// Generates the configuration file that `millrace config init` writes: every setting with its meaning and default,
// commented out.

import { stringify } from "smol-toml";
import { schema } from "./schema.ts";
import type { Setting } from "./setting.ts";

export function configTemplate(): string {
  const sections = new Map<string, string[]>([["", []]]);
  for (const [name, setting] of Object.entries(schema) as [string, Setting][]) {
    const isMap = setting.kind === "table" || setting.kind === "tables" || setting.kind === "lists";
    const parts = name.split(".");
    const section = isMap ? name : parts.slice(0, -1).join(".");
    const lines = sections.get(section) ?? [];
    sections.set(section, lines);
    lines.push("", `# ${describe(setting)}`);
    if (setting.kind === "tables") lines.push(`#[${name}.NAME]`, '#key = "value"');
    else if (setting.kind === "table") lines.push(`#${setting.example ?? 'key = "value"'}`);
    else if (setting.kind === "lists")
      lines.push(`#logging = ["{ source = 'noise' and level in ['debug', 'trace'] }"]`);
    else if (setting.kind === "switch") lines.push(`#${parts.at(-1)} = true`);
    else lines.push(`#${stringify({ [parts.at(-1)!]: setting.default }).trim()}`);
  }
  const texts = [...sections].map(([section, lines]) =>
    (section === "" ? lines.slice(1) : [`[${section}]`, ...lines.slice(1)]).join("\n"),
  );
  return `# Millrace agent and gateway. Each line below shows a default; remove the "#" before a key to change it.\n\n${texts.join("\n\n")}\n`;
}

function describe({ summary, env, choices, secret }: Setting): string {
  const notes = [
    ...(choices === undefined ? [] : [choices.join(" or ")]),
    ...(secret ? ['also "file:PATH"'] : []),
    ...(env === undefined ? [] : [env]),
  ];
  return notes.length === 0 ? summary : `${summary} (${notes.join("; ")})`;
}

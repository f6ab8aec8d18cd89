import { parse } from "smol-toml";
import { expect, it } from "vitest";
import { loadConfig } from "../../../server/config/load.ts";
import { defaults, schema } from "../../../server/config/schema.ts";
import { configTemplate } from "../../../server/config/template.ts";

it("the unedited template loads as the default configuration, without warnings", () => {
  const text = configTemplate();
  expect(loadConfig({ file: { name: "agent.toml", text } })).toEqual({ config: defaults(), warnings: [] });
});

it("shows every setting with its default", () => {
  const text = configTemplate().replace(/^#(?=[\w-]+ = |\[)/gm, "");
  const { config, warnings } = loadConfig({ file: { name: "agent.toml", text } });
  expect(warnings).toEqual([]);
  const maps = Object.entries(schema).filter(([, { kind }]) =>
    ["table", "tables", "lists", "entries", "switch"].includes(kind),
  );
  const plain = Object.fromEntries(Object.entries(config).filter(([name]) => !maps.some(([map]) => map === name)));
  expect(defaults()).toMatchObject(plain);
  for (const name of Object.keys(plain)) {
    const value = name
      .split(".")
      .reduce((table: unknown, part) => (table as Record<string, unknown>)[part], parse(text));
    expect(value, name).toEqual(defaults()[name as keyof typeof schema]);
  }
});

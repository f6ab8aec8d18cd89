// docs/errors.md and docs/config.md equal the pages that `npm run docs` generates from the declarations in the code,
// and the declarations are complete.

import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type SettingName, schema } from "../../../server/config/schema.ts";
import type { Setting } from "../../../server/config/setting.ts";
import { type ServiceName, servicesOf } from "../../../server/config/settings-by-service.ts";
import { configPage } from "../../../server/documents/config-page.ts";
import { errorsPage } from "../../../server/documents/errors-page.ts";
import { declaredErrors } from "../../../server/http/errors.ts";

const root = new URL("../../../", import.meta.url);
const textOf = (file: string) => readFileSync(new URL(file, root), "utf8");

function sources(folder: string): string[] {
  return readdirSync(new URL(folder, root), { withFileTypes: true, recursive: true })
    .filter(
      (entry) =>
        entry.isFile() && entry.name.endsWith(".ts") && !/\/(?:dist|node_modules)(?:\/|$)/.test(entry.parentPath),
    )
    .map(({ parentPath, name }) => readFileSync(`${parentPath}/${name}`, "utf8"));
}

describe.each([
  ["docs/errors.md", errorsPage],
  ["docs/config.md", configPage],
])("%s", (file, page) => {
  it("is not stale (npm run docs)", () => {
    expect(textOf(file)).toBe(page());
  });
});

describe("errors", () => {
  const text = sources("server/").filter((each) => !/^export const (?:agent|gateway|platform)Errors/m.test(each));
  const isNamed = (code: string) => text.some((each) => each.includes(`"${code}"`));

  it.each(Object.keys(declaredErrors))("%s is thrown", (code) => {
    const [service, name] = code.split(".");
    // Code that all services share throws errors of the agent. When the gateway or the platform runs such code, the
    // service answers with its own error of the same name, or with `badRequest` if it declares no error of this
    // name. So an error of the gateway or the platform also counts as thrown when shared code throws the agent's
    // error of the same name.
    expect(isNamed(code) || isNamed(`agent.${name}`) || (service !== "agent" && name === "badRequest")).toBe(true);
  });

  it("every refused query has a declared reason", () => {
    expect(sources("lib/dql/").filter((each) => /new DqlError\(\s*["'`]/.test(each))).toEqual([]);
  });
});

describe("settings", () => {
  const all = Object.entries(schema) as [SettingName, Setting][];

  it.each(all.filter(([, { kind }]) => kind === "int" || kind === "float"))("%s has a unit", (_name, { unit }) => {
    expect(unit).toMatch(/^[A-Za-z/]+$/);
  });

  it.each(["gateway", "platform"] satisfies ServiceName[])(
    "the page names the %s at each setting that its code reads",
    (service) => {
      const read = sources(`server/${service}/`).flatMap((each) =>
        [...each.matchAll(/config(?:\["([\w.]+)"\]|\.(data_dir|reload_interval)\b)/g)].map(
          ([, name, plain]) => (name ?? plain)!,
        ),
      );
      expect(read.length).toBeGreaterThan(5);
      expect(read.filter((name) => !servicesOf(name as SettingName).includes(service))).toEqual([]);
    },
  );

  it("each setting is read by a service", () => {
    expect(all.filter(([name]) => servicesOf(name).length === 0)).toEqual([]);
  });
});

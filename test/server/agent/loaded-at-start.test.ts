// The npm packages that the built modules of an agent load at start. Packages that are needed only later must not be
// among them.

import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

/** Returns the npm packages that a module imports directly or through other modules, not counting dynamic imports. */
function packagesOf(entry: URL): Set<string> {
  const packages = new Set<string>();
  const seen = new Set<string>();
  const walk = (file: URL): void => {
    if (seen.has(file.href)) return;
    seen.add(file.href);
    for (const [, target] of readFileSync(file, "utf8").matchAll(
      /^(?:import|export)\s(?:[^"';]*?\sfrom\s)?"(.+?)";$/gm,
    )) {
      if (target!.startsWith(".")) walk(new URL(target!, file));
      else if (!target!.startsWith("node:")) packages.add(target!);
    }
  };
  walk(entry);
  return packages;
}

const built = new URL("../../../dist/server/", import.meta.url);

it("an agent without a gateway does not load the client for gateways", () => {
  expect(packagesOf(new URL("outbound/upstream.js", built))).toContain("undici");
  const packages = packagesOf(new URL("agent/start/start.js", built));
  expect(packages).toContain("fastify");
  expect(packages).not.toContain("undici");
  expect(packages).not.toContain("ws");
});

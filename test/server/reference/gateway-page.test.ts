// docs/reference/gateway.md names every route of the gateway, and only errors that the gateway declares.

import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { about } from "../../../server/gateway/routes/about.ts";
import { health } from "../../../server/gateway/routes/health.ts";
import { relays } from "../../../server/gateway/routes/relay.ts";
import { rules } from "../../../server/gateway/routes/rules.ts";
import { writes } from "../../../server/gateway/routes/write.ts";
import { declaredErrors } from "../../../server/http/errors.ts";

const page = readFileSync(new URL("../../../docs/reference/gateway.md", import.meta.url), "utf8");

it("every route is on the page", () => {
  const routes = [...relays, ...about, ...health, ...rules, ...writes];
  expect(
    readdirSync(new URL("../../../server/gateway/routes/", import.meta.url)).filter((name) => name.endsWith(".ts"))
      .length,
  ).toBe(6);
  expect(routes.length).toBeGreaterThan(20);
  expect(routes.filter(({ url }) => !page.includes(`\`${url}\``)).map(({ url }) => url)).toEqual([]);
});

it("all errors on the page are declared", () => {
  const named = [...page.matchAll(/\bgateway\.[a-z][A-Za-z]+(?=[`"])/g)].map(([name]) => name);
  expect(named.filter((name) => !Object.hasOwn(declaredErrors, name))).toEqual([]);
});

// The list of paths that services forward must equal the paths that the Open API declares.

import { expect, it } from "vitest";
import { isOpenApiPath } from "../../../server/http/open-api-paths.ts";

const at = (file: string) => new URL(`../../../dist/server/platform/open-api/${file}`, import.meta.url).href;
const { routes } = (await import(
  /* @vite-ignore */ at("routes.js")
)) as typeof import("../../../server/platform/open-api/routes.ts");
const { basePath, pathsOf } = (await import(
  /* @vite-ignore */ at("protocol/match.js")
)) as typeof import("../../../server/platform/open-api/protocol/match.ts");

const declared = routes.flatMap((route) =>
  pathsOf(route).map((path) => `${route.method} ${path.slice(basePath.length).replace(/\{\w+\}/g, "id_0-A")}`),
);
const taken = (call: string) => isOpenApiPath(...(call.split(" ") as [string, string]));

it("accepts all declared paths, with the declared method only", () => {
  expect(declared.length).toBeGreaterThan(40);
  expect(declared.filter((call) => !taken(call))).toEqual([]);
  const others = declared.map((call) => call.replace(/^\w+/, (method) => (method === "GET" ? "POST" : "GET")));
  expect(others.filter((call) => taken(call) && !declared.includes(call))).toEqual([]);
});

it("refuses a declared path that is changed by a segment, a letter or an escape", () => {
  const changes: readonly ((path: string) => string)[] = [
    (path) => `${path}/`,
    (path) => `${path}/x`,
    (path) => `${path}s`,
    (path) => `/x${path}`,
    (path) => path.replace("/", "//"),
    (path) => path.replace(/\/(\w)/, (_, letter: string) => `/%${letter.charCodeAt(0).toString(16)}`),
    (path) => path.replace("id_0-A", "id.0"),
    (path) => path.replace("id_0-A", ".."),
    (path) => path.replace("id_0-A", ""),
    (path) => `${path}\n`,
    (path) => path.toUpperCase(),
  ];
  const wrong = changes.flatMap((change) =>
    declared.flatMap((call) => {
      const [method, path] = call.split(" ") as [string, string];
      const changed = change(path);
      return changed !== path && isOpenApiPath(method, changed) && !declared.includes(`${method} ${changed}`)
        ? [`${method} ${changed}`]
        : [];
    }),
  );
  expect(wrong).toEqual([]);
});

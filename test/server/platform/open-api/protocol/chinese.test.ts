// Every message of the Open API must have a Chinese translation. The tests also check which request headers ask for
// Chinese messages.

import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { inChinese, wantsChinese } from "../../../../../server/platform/open-api/protocol/chinese.ts";
import {
  catalogue,
  invalidParameter,
  OpenApiError,
  type OpenApiErrorCode,
} from "../../../../../server/platform/open-api/protocol/errors.ts";

const folder = new URL("../../../../../server/platform/open-api/", import.meta.url);

it("each error code has a Chinese message", () => {
  for (const [code, { message }] of Object.entries(catalogue)) {
    const said = inChinese(new OpenApiError(code as OpenApiErrorCode, message));
    if (code === "InvalidParameter") continue;
    expect(said).toMatch(/\p{Script=Han}/u);
    // Parts of a message in angle brackets are not translated, so the Chinese message contains each of them unchanged.
    for (const [part] of message.matchAll(/<[^>]*>/g)) expect(said).toContain(part);
  }
});

it("each reason in the source has a Chinese translation", () => {
  const reasons = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .flatMap((name) => [
      ...readFileSync(new URL(name, folder), "utf8").matchAll(
        /invalidParameter\(\s*(?:[^,"`]+|"[^"]*"|`[^`]*`),\s*(?:"([^"]*)"|`([^`]*)`)\s*,?\s*\)/g,
      ),
    ])
    .map(([, plain, template]) => plain ?? template!.replace(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, "X"));
  expect(reasons.length).toBeGreaterThan(25);
  const untold = reasons.filter((reason) => !/\p{Script=Han}/u.test(inChinese(invalidParameter("n", reason))));
  // "XX" stands for a message of the script compiler, which is not translated.
  expect(untold).toEqual(["XX"]);
});

it("a name with a colon stays whole, an unknown reason stays English", () => {
  expect(inChinese(invalidParameter("filter.a: b", "required"))).toBe("filter.a: b: 必填");
  expect(inChinese(invalidParameter("content", "x.p:2:4: no such function"))).toBe(
    "content: x.p:2:4: no such function",
  );
});

it.each([
  ["", false],
  ["zh", true],
  ["ZH-cn", true],
  ["en", false],
  ["en;q=0.5, zh;q=0.8", true],
  ["zh;q=0.5, en-US", false],
  ["zh;q=0, en", false],
  ["zh;q=0", false],
  ["fr, zh;q=0.1", true],
  ["fr", false],
  ["en, zh", false],
])("chooses the language by Accept-Language: %s", (header, expected) => {
  expect(wantsChinese(header)).toBe(expected);
});

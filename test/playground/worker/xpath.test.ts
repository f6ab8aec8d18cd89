// The evaluator of XPath, which the worker loads when a script calls xml.

import { afterEach, expect, it, vi } from "vitest";

const onDemand = "../../../playground/src/worker/on-demand/xpath-on-demand.ts";
const evaluator = "../../../playground/src/worker/on-demand/xpath-evaluator.ts";
const text = (each: string) => [{ name: "a.p", text: each }];

afterEach(() => {
  vi.doUnmock(evaluator);
  vi.resetModules();
});

it("the XPath evaluator is loaded for a script whose text names xml", async () => {
  const xpath: typeof import("../../../playground/src/worker/on-demand/xpath-on-demand.ts") = await import(onDemand);
  await xpath.loadXPath([...text("grok(_, '%{IP:a}')"), ...text("")]);
  expect(() => xpath.parse("//a")).toThrow("could not load");
  await xpath.loadXPath([...text(""), ...text('xml(_, "//a", b)')]);
  expect(xpath.parse("//a")).toHaveProperty("evaluate");
  expect(xpath.NodeSet).toBeTypeOf("function");
});

it("the XPath evaluator is loaded again after a failure, and every expression fails until then", async () => {
  vi.doMock(evaluator, () => {
    throw new Error("offline");
  });
  const xpath: typeof import("../../../playground/src/worker/on-demand/xpath-on-demand.ts") = await import(onDemand);
  await xpath.loadXPath(text('xml(_, "//a", b)'));
  expect(() => xpath.parse("//a")).toThrow("the page could not load its evaluator of XPath; reload the page");
  vi.doUnmock(evaluator);
  await xpath.loadXPath(text('xml(_, "//a", b)'));
  expect(xpath.parse("//a")).toHaveProperty("evaluate");
});

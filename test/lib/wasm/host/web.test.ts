// Loads the WebAssembly module in browsers, and explains the error when the URL does not return the module.

import { afterEach, describe, expect, it, vi } from "vitest";
import { wasmAt } from "../../../../lib/wasm/host/web.ts";
import { wasmBytes } from "../load.ts";

const answers = vi.fn<typeof fetch>();

afterEach(() => {
  vi.unstubAllGlobals();
  answers.mockReset();
});

type Answer = () => Response | Promise<never>;

/** Loads the module from a URL for which `fetch` gets this answer. */
async function loaded(answer: Answer, url: string | URL = "http://host/millrace.wasm"): Promise<WebAssembly.Module> {
  vi.stubGlobal("fetch", answers);
  answers.mockImplementation(async () => answer());
  return wasmAt(url);
}

const advice =
  'Copy node_modules/millrace/dist/lib/wasm/millrace.wasm to your site, and write createMillrace({ wasm: "/millrace.wasm" })';

describe("a module that is not found", () => {
  it.each<[string, Answer, string]>([
    ["has no file", () => new Response("not found", { status: 404 }), "(status 404)"],
    ["answers a page for every address", () => new Response("<!doctype html>"), "(another file is there)"],
    ["answers nothing", () => new Response(""), "(another file is there)"],
  ])("is reported with the line of code to add when the server %s", async (_, make, why) => {
    await expect(loaded(make)).rejects.toThrow(
      `millrace.wasm was not found at http://host/millrace.wasm ${why}. ${advice}`,
    );
  });

  it("is reported with the cause when the host cannot fetch the URL", async () => {
    const cause = new TypeError("Failed to fetch");
    const module = loaded(() => Promise.reject(cause), new URL("file:///page/millrace.wasm"));
    await expect(module).rejects.toMatchObject({
      message: `millrace.wasm was not found at file:///page/millrace.wasm. ${advice}`,
      cause,
    });
  });

  it("is reported in a short message when the URL is a long data URL", async () => {
    const module = loaded(() => new Response("x"), `data:text/plain,${"x".repeat(100_000)}`);
    await expect(module).rejects.toThrow(/^.{200,600}$/s);
  });
});

it("compiles the module at a URL", async () => {
  const bytes = await wasmBytes();
  expect(await loaded(() => new Response(bytes))).toBeInstanceOf(WebAssembly.Module);
});

// Regular expressions whose engines run in a WebAssembly module that the caller has created.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { builtinPatterns, Grok } from "../../../lib/grok/index.ts";
import { compileScripts } from "../../../lib/pipeline/index.ts";
import { engineIn, Regex } from "../../../lib/regex/index.ts";
import { defaultWasm, instantiate } from "../../../lib/wasm/index.ts";

const texts = ["", "b", "abbbc", "10.0.0.7 GET /a", "é😀 10.0.0.7", "x".repeat(5000), `${"ab".repeat(3000)}c`];

describe("engines in a module", () => {
  it.each(["b+", "(a|ab)(c|bcd)*", "^(?P<ip>\\d+(?:\\.\\d+){3}) (\\w+)", "(?i)GET", "[^a]$", "\\bé?"])(
    "find the same matches with %s as the engines in JavaScript",
    async (source) => {
      const module = await instantiate(await defaultWasm());
      const before = module.used;
      const regex = Regex.compile(source, "", { engine: engineIn(module) });
      const plain = Regex.compile(source);
      for (const text of texts) expect(regex.findAll(text)).toEqual(plain.findAll(text));
      expect(module.used).toBeGreaterThan(before);
      regex.free();
    },
  );

  it.each([
    "ab",
    "ab+c",
    "(?:ab){2}(?P<x>c|d)?",
    "\\bab\\w",
    "(?:abc|abd)a",
    "(ab)[^c]*d$",
    "é+b",
    "(?m)^ab*c",
    "ab{2,}?c",
  ])(
    "find the same matches with %s, whose matches begin with a literal, as the engines in JavaScript",
    async (source) => {
      const regex = Regex.compile(source, "", { engine: engineIn(await instantiate(await defaultWasm())) });
      const plain = Regex.compile(source);
      const pieces = fc.array(fc.constantFrom("ab", "a", "b", "c", "d", "é", " ", "\n", "x".repeat(40)), {
        maxLength: 20,
      });
      // More texts than the engine reads before it generates code.
      for (const text of fc.sample(pieces, 2500).map((parts) => parts.join("")))
        expect([text, regex.find(text)]).toEqual([text, plain.find(text)]);
      const bytes = fc.uint8Array({ maxLength: 40 }).map((noise) => Uint8Array.from([...noise, 0x61, 0x62, 0x63]));
      for (const text of fc.sample(bytes, 300)) expect(regex.find(text)).toEqual(plain.find(text));
    },
  );

  it("run the expressions of grok and of scripts, and the script set frees their memory", async () => {
    const module = await instantiate(await defaultWasm());
    const engine = engineIn(module);
    const grok = Grok.compile("%{IP:client} %{WORD:method}", { engine });
    expect(grok.match("10.0.0.7 GET")).toEqual({ client: "10.0.0.7", method: "GET" });
    const { scripts, free } = compileScripts(
      { "a.p": 'grok(_, "%{IP:client}")' },
      { patterns: builtinPatterns, engine },
    );
    expect([...scripts.keys()]).toEqual(["a.p"]);
    free();
  });
});

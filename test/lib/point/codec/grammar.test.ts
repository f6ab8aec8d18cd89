// The grammar file next to the scanner must describe exactly the lines that the scanner accepts. For each line,
// the test checks that the grammar and the scanner both accept it or both refuse it.

import fc from "fast-check";
import { expect, it } from "vitest";
import grammarText from "../../../../assembly/line-protocol/grammar.ebnf?raw";
import { createMillrace, type Form, PointError } from "../../../../lib/index.ts";
import { isMeant, readGrammar } from "./ebnf.ts";

const grammar = readGrammar(grammarText);
const mill = await createMillrace();
const form: Form = "lp";

/**
 * Implements the one special sequence of the grammar, which stands for base64. Returns the offsets at which
 * standard base64 with padding that starts at `from` may end. Ignores line breaks inside the base64 text.
 */
function base64Ends(what: string, text: string, from: number): readonly number[] {
  expect(what).toBe("RFC 4648, section 4");
  const found: number[] = [];
  for (let end = from; end <= text.length; end++) {
    const part = text.slice(from, end).replace(/[\r\n]/g, "");
    if (/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(part)) found.push(end);
  }
  return found;
}

function isTaken(line: string): boolean {
  try {
    const batch = mill.decodePoints(new TextEncoder().encode(line), { form, category: "metric", now: 1n });
    const { length } = batch;
    batch.release();
    return length === 1;
  } catch (error) {
    if (!(error instanceof PointError)) throw error;
    return false;
  }
}

// Bytes that have a meaning in line protocol. Backslash and newline are left out, because the grammar cannot describe
// all their effects; only the worked examples test these two.
const byte = fc.constantFrom(...'mtTrueFALSEf01279=,  "[].-+eEiub#QQ');
const mostly = (good: readonly string[], bad: readonly string[]) =>
  fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...good) }, { weight: 1, arbitrary: fc.constantFrom(...bad) });
const name = mostly(["m", "cpu", '"q"', "é"], ["a=b", ""]);
const value = mostly(
  [
    ..."1 -1i 1u 1. .5 1.5e3 1e+2 -.5E-1 t True FALSE f".split(" "),
    ...'"a b"|""|"QQ=="b|"=,"|[1i, 2i]|[]|[ ]|["a", "b"]|[t,f]'.split("|"),
  ],
  '-1u 1e +1 0x1 1_0 tRUE "QQ="b "Q"b "a"c " [1i,] [[1]]'.split(" "),
);
const field = fc.tuple(name, value).map((parts) => parts.join("="));
const tag = fc.tuple(name, name).map((parts) => parts.join("="));
const time = mostly(["", " ", " 1", " -1", "  12  "], [" 1 2", " x", " 1i", " +1"]);
const line = fc
  .tuple(
    name,
    fc.array(tag, { maxLength: 2 }),
    mostly([" ", "  "], [""]),
    fc.array(field, { minLength: 1, maxLength: 3 }),
    time,
  )
  .map(([measurement, tags, gap, fields, end]) => `${[measurement, ...tags].join(",")}${gap}${fields.join(",")}${end}`);
/**
 * Returns whether the fields of a line have a quote that follows an `=` but does not begin a string. The scanner
 * reads such a quote as an ordinary character when the fields before the quote have at least as many commas as
 * equals signs, as in `a=1,b,c="x`. The grammar cannot describe this case.
 */
function hasCountedQuote(text: string): boolean {
  let equals = 0;
  let commas = 0;
  let quoted = false;
  const fields = text.trimStart().replace(/^[^ ]* */, "");
  for (const [at, byte] of [...fields].entries()) {
    if (byte === '"' && !quoted && equals <= commas && fields[at - 1] === "=") return true;
    if (byte === '"' && equals > commas) quoted = !quoted;
    else if (byte === "=" && !quoted) equals++;
    else if (byte === "," && !quoted) commas++;
  }
  return false;
}

/**
 * Lines in which some bytes are changed, added or removed. Lines with arrays of several elements are left out, because
 * the grammar cannot describe that all elements have the same type.
 */
const changed = fc
  .tuple(line, fc.array(fc.tuple(fc.nat(60), fc.constantFrom(0, 1), fc.oneof(byte, fc.constant(""))), { maxLength: 3 }))
  .map(([text, changes]) => {
    let all = text;
    for (const [at, gone, added] of changes) all = all.slice(0, at) + added + all.slice(at + gone);
    return all;
  })
  .filter((text) => !/\[[^\]]*,/.test(text) && !hasCountedQuote(text));

it("the grammar file can be read, and accepts a valid point and refuses an invalid one", () => {
  expect([...grammar.rules.keys()]).toContain("base64");
  expect(isMeant(grammar, "point", "m,t=v f=1,g=[1i, 2i] 1", base64Ends)).toBe(true);
  expect(isMeant(grammar, "point", "m,t= f=1", base64Ends)).toBe(false);
});

it("grammar and scanner both accept a line, or both refuse it", () => {
  let taken = 0;
  let refused = 0;
  fc.assert(
    fc.property(fc.oneof(line, changed), (text) => {
      const latin = String.fromCharCode(...new TextEncoder().encode(text));
      const isPoint = isMeant(grammar, "line", latin, base64Ends) && /^[\s\0]*[^\s\0#]/.test(latin);
      if (isPoint) taken++;
      else refused++;
      expect(isTaken(text), JSON.stringify(text)).toBe(isPoint);
    }),
    { numRuns: 5000 },
  );
  expect(taken).toBeGreaterThan(500);
  expect(refused).toBeGreaterThan(500);
});

// No expression makes a tier slow: steps are counted, not time, and twice the text takes about twice the steps.

import { describe, expect, it } from "vitest";
import { parse } from "../../../lib/regex/parse.ts";
import { counted } from "./engines.ts";

const nested = `${"(".repeat(997)}a*${")".repeat(997)}`;

const adversarial: readonly (readonly [name: string, source: string, text: (length: number) => string])[] = [
  ["(a*)*b", "(a*)*b", (length) => "a".repeat(length)],
  ["(a|a)*$", "(a|a)*$", (length) => `${"a".repeat(length - 1)}b`],
  ["(a+)+$", "^(a+)+$", (length) => `${"a".repeat(length - 1)}b`],
  ["[ab]*a[ab]{12}$", "[ab]*a[ab]{12}$", (length) => `${"ab".repeat(length / 2 - 1)}bc`],
  ["(.*)(.*)(.*)(.*)x", "(.*)(.*)(.*)(.*)x", (length) => "a".repeat(length)],
  ["(x+x+)+y", "(x+x+)+y", (length) => "x".repeat(length)],
  ["(a?){6}a{6}b", "(a?){6}a{6}b", (length) => "a".repeat(length)],
  ["nearly 1000 nested groups", `^${nested}b`, (length) => "a".repeat(length)],
  ["case folding in a class", "(?i)(?:[a-zß]+ ?)*!", (length) => "ſtraße ".repeat(length / 8)],
];

const SIZE = 1 << 20;

describe.each(Object.keys(counted))("tier: %s", (tier) => {
  it.each(adversarial)("%s", (_, source, text) => {
    const bytes = (length: number): Uint8Array => new TextEncoder().encode(text(length));
    const steps = (input: Uint8Array): number => {
      const { engine, steps } = counted[tier]!(parse(source));
      engine.exec(input, 0, input.length, 0, new Int32Array(engine.slots));
      return steps();
    };
    const [half, whole] = [steps(bytes(SIZE / 2)), steps(bytes(SIZE))];
    expect(half).toBeGreaterThan(0);
    expect(whole).toBeLessThan(2.1 * half);
  });
});

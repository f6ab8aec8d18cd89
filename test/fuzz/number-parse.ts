// Compares decimals parsed by the WebAssembly module with JavaScript's Number(): random doubles in several spellings,
// decimals next to the middle between two doubles, and known hard cases. The test decodes whole bodies, so that it
// tests the same code that decodes points.

import { decodePoints } from "../../lib/point/codec/decode.ts";
import { Float } from "../../lib/point/value.ts";
import { Key } from "../../lib/point/view.ts";
import type { WasmModule } from "../../lib/wasm/module.ts";

const options = { category: "tracing", now: 1n } as const;
const encoder = new TextEncoder();
const key = new Key("f");
const perBody = 2000;

/** Parses each number as a field and as an element of an array; throws at the first one that differs from Number(). */
export function checkNumbers(module: WasmModule, texts: readonly string[]): void {
  const body = texts.map((text) => `m f=${text},g=[${text}] 1`).join("\n");
  const batch = decodePoints(module, encoder.encode(body), "lp", options);
  try {
    texts.forEach((text, index) => {
      const value = batch.at(index).get(key);
      const got = value instanceof Float ? value.value : Number.NaN;
      if (!Object.is(got, Number(text))) throw new Error(`${text} is read as ${got}, not as ${Number(text)}`);
    });
  } finally {
    batch.release();
  }
}

/**
 * Checks `count` random numbers from a generator with this seed. Numbers beyond the greatest double are left out,
 * because line protocol refuses them.
 */
export function checkNumberParsing(module: WasmModule, count: number, seed: number): void {
  const random = generator(seed);
  for (let done = 0; done < count; done += perBody) {
    const texts: string[] = [];
    while (texts.length < Math.min(perBody, count - done)) {
      const text = numberText(random);
      if (Number.isFinite(Number(text))) texts.push(text);
    }
    checkNumbers(module, texts);
  }
}

/** Returns a generator of 32 random bits per call (xorshift128). */
function generator(seed: number): () => number {
  let [a, b, c, d] = [seed | 1, 0x9e3779b9, 0x243f6a88, 0xb7e15162];
  return () => {
    const t = a ^ (a << 11);
    [a, b, c] = [b, c, d];
    d = d ^ (d >>> 19) ^ t ^ (t >>> 8);
    return d >>> 0;
  };
}

const view = new DataView(new ArrayBuffer(8));

function randomDouble(random: () => number): number {
  for (;;) {
    view.setUint32(0, random());
    view.setUint32(4, random());
    const value = view.getFloat64(0);
    if (Number.isFinite(value)) return value;
  }
}

function numberText(random: () => number): string {
  switch (random() % 9) {
    case 0:
    case 1:
      return String(randomDouble(random)).replace("+", "");
    case 2:
      return randomDouble(random).toExponential(random() % 21);
    case 3:
      return `${random() % 2 ? "-" : ""}${random() % 10 ** (random() % 10)}.${String(random()).slice(0, 1 + (random() % 9))}`;
    case 4:
      return middleText(Math.abs(randomDouble(random)), random() % 3);
    case 5:
      return digits(random, 1 + (random() % 17));
    case 6:
      return `${digits(random, 1 + (random() % 25))}.${digits(random, 1 + (random() % 40))}`;
    case 7:
      return `${digits(random, 1 + (random() % 9))}.${digits(random, random() % 14)}${exponentText(random)}`;
    default:
      return `${digits(random, 1 + (random() % 30))}e${(random() % 660) - 350}`;
  }
}

function exponentText(random: () => number): string {
  return `${random() % 2 ? "e" : "E"}${["", "-", "+"][random() % 3]!}${"0".repeat(random() % 3)}${random() % 330}`;
}

function digits(random: () => number, count: number): string {
  let text = "";
  while (text.length < count) text += random();
  return text.slice(0, count);
}

/**
 * Returns the exact decimal in the middle between the double `value` and the next double. With `side` 1, returns a
 * number slightly below the middle; with `side` 2, a number slightly above it.
 */
export function middleText(value: number, side: number): string {
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const field = Number(bits >> 52n);
  const significand = (bits & 0xfffffffffffffn) | (field > 0 ? 1n << 52n : 0n);
  const exponent = (field > 0 ? field : 1) - 1076;
  let whole = significand * 2n + 1n;
  let power = 0;
  if (exponent >= 0) whole <<= BigInt(exponent);
  else {
    whole *= 5n ** BigInt(-exponent);
    power = exponent;
  }
  if (side === 1) return `${whole * 10n - 1n}e${power - 1}`;
  return side === 2 ? `${whole}1e${power - 1}` : `${whole}e${power}`;
}

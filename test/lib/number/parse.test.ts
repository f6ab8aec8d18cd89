// Decimals that the WebAssembly module converts to doubles, compared with JavaScript's Number(). The fuzz command runs
// the check `checkNumberParsing` for a longer time.

import { describe, expect, it } from "vitest";
import { checkNumberParsing, checkNumbers, middleText } from "../../fuzz/number-parse.ts";
import { loadModule } from "../wasm/load.ts";

const module = await loadModule();

const hard = [
  // The smallest and the greatest doubles, and decimals next to them.
  ...["5e-324", "4.9e-324", "2.4703282292062327e-324", "2.4703282292062328e-324", "2.47e-324", "7.4e-324", "1e-400"],
  ...["2.2250738585072011e-308", "2.2250738585072012e-308", "2.2250738585072014e-308", "2.225073858507201e-308"],
  ...["1.7976931348623157e308", "1.7976931348623158e308", "1.797693134862315807e308"],
  // Decimals that other parsers are known to have parsed wrongly.
  ...["9007199254740993", "9007199254740992.99999999999999999999", "9007199254740993.00000000000000000000000001"],
  ...["3.5844466002796428e298", "6929495644600919.5", "8.533e68", "4.1006e-184", "9.998e307", "9.9538452227e-280"],
  ...[
    "6.47660115e-260",
    "7.4e47",
    "5.92e48",
    "7.35e66",
    "8.32116e55",
    "1.448997445238699",
    "1e23",
    "8.41e21",
    "9e-265",
  ],
  ...["0.000000000000000000000000000000000000000000000000000000000000000000000001", "123456789012345678901234567890"],
  ...[
    "1.00000000000000011102230246251565404236316680908203125",
    "1.00000000000000011102230246251565404236316680908203124",
  ],
  ...[
    "1.00000000000000011102230246251565404236316680908203126",
    "7205759403792793199999e-5",
    "7205759403792793200001e-5",
  ],
  ...[
    "-0",
    "-0.0",
    "0e999",
    "-1e-999",
    "0.0e-999",
    "00012.500",
    "1.",
    ".5",
    "-.5",
    "1E+3",
    "1e05",
    "10000000000000000000000",
  ],
  `1.${"0".repeat(2000)}1`,
  `0.${"0".repeat(400)}${"9".repeat(900)}e400`,
  `9007199254740993${"0".repeat(800)}1e-801`,
  `${"1".repeat(800)}e-800`,
];

describe("decimals to doubles", () => {
  it.each(hard)("%.60s", (text) => {
    checkNumbers(module, [text]);
  });

  it("rounds to the even double when two doubles are equally near", () => {
    const values = [
      1,
      2 ** 53 - 1,
      2 ** 60 + 2 ** 10,
      0.1,
      1e300,
      1e-300,
      5e-324,
      2.2250738585072009e-308,
      3e-310,
      123.456,
    ];
    for (const value of values) for (const side of [0, 1, 2]) checkNumbers(module, [middleText(value, side)]);
  });

  it("reads random numbers like the JavaScript engine", () => {
    checkNumberParsing(module, 20_000, 20250101);
  });

  it("refuses a number that rounds to infinity, exact to the last digit", () => {
    const least = middleText(Number.MAX_VALUE, 0);
    expect(() => checkNumbers(module, [least])).toThrow("invalid float");
    expect(() => checkNumbers(module, [middleText(Number.MAX_VALUE, 2)])).toThrow("invalid float");
    checkNumbers(module, [middleText(Number.MAX_VALUE, 1)]);
  });

  it.each(["1e309", "1.8e308", "-2.5e+308", "9e9999", "1.5e99999", "1234567890.12345678e300"])("refuses %s", (text) => {
    expect(() => checkNumbers(module, [text])).toThrow("invalid float");
  });

  it.each(["1.e", "1e", "1.5e+", "1.5e-", "1.5e+-1", "1.5ee1", "1.5e1.5", "1e5i", "1.5e5u", "1.5e1x"])(
    "refuses %s, which is no number",
    (text) => {
      expect(() => checkNumbers(module, [text])).toThrow("invalid");
    },
  );
});

describe("the table of powers of ten", () => {
  it("contains the first 128 bits of each power, rounded up", async () => {
    const own = await loadModule();
    // Parsing this number makes the module compute its table of powers of ten. Shorter numbers are parsed without the
    // table.
    checkNumbers(own, ["1234567890.1234567e40"]);
    const words = new BigUint64Array(own.u8.buffer);
    const tens = [0x8000000000000000n, 0n, 0xa000000000000000n, 0n, 0xc800000000000000n, 0n, 0xfa00000000000000n, 0n];
    const one = words.findIndex((_, at) => tens.every((word, i) => words[at + i] === word));
    expect(one).toBeGreaterThan(2 * 342);
    for (let power = -342; power <= 324; power++) {
      const five = 5n ** BigInt(Math.abs(power));
      const size = BigInt(five.toString(2).length);
      const isExact = power >= 0 && size <= 128n;
      const expected =
        power < 0 ? (1n << (size + 127n)) / five + 1n : isExact ? five << (128n - size) : (five >> (size - 128n)) + 1n;
      const high = words[one + 2 * power]!;
      const low = words[one + 2 * power + 1]!;
      expect((high << 64n) | low).toBe(expected);
      // The module stores each power of ten as two halves of 64 bits. When it uses a power that is not exact, it
      // subtracts one from the low half without changing the high half. So the low half must not be 0.
      expect(isExact || low !== 0n).toBe(true);
      expect(isExact).toBe(power >= 0 && power <= 55);
    }
  });
});

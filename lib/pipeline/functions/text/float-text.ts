// Prints floats in the formats of Go's strconv: fixed, with exponent, the shorter of these two, hexadecimal and binary.
// Rounding is half to even on the exact binary value, unlike JavaScript's toFixed.

/** A decimal number, 0.digits × 10^point. Empty digits mean zero. */
interface Decimal {
  digits: string;
  point: number;
}

const bits = new DataView(new ArrayBuffer(8));

/** Returns the mantissa and the exponent of a finite number, without its sign: mantissa × 2^exponent. */
function binaryParts(value: number): { mantissa: bigint; exponent: number } {
  bits.setFloat64(0, Math.abs(value));
  const raw = bits.getBigUint64(0);
  const biased = Number(raw >> 52n);
  const fraction = raw & 0xfffffffffffffn;
  return biased === 0
    ? { mantissa: fraction, exponent: -1074 }
    : { mantissa: fraction | 0x10000000000000n, exponent: biased - 1075 };
}

function exactDecimal(value: number): Decimal {
  if (Number.isSafeInteger(value) && value !== 0) {
    const whole = String(Math.abs(value));
    return { digits: whole.replace(/0+$/, ""), point: whole.length };
  }
  const { mantissa, exponent } = binaryParts(value);
  if (mantissa === 0n) return { digits: "", point: 0 };
  const text =
    exponent >= 0 ? (mantissa << BigInt(exponent)).toString() : (mantissa * 5n ** BigInt(-exponent)).toString();
  return { digits: text.replace(/0+$/, ""), point: text.length + Math.min(exponent, 0) };
}

function shortestDecimal(value: number): Decimal {
  if (value === 0) return { digits: "", point: 0 };
  const [mantissa = "", exponent = "0"] = Math.abs(value).toExponential().split("e");
  return { digits: mantissa.replace(".", ""), point: Number(exponent) + 1 };
}

/** Rounds a decimal number to `count` significant digits. */
function round(decimal: Decimal, count: number): Decimal {
  const { digits, point } = decimal;
  if (count >= digits.length) return decimal;
  if (count < 0) return { digits: "", point: 0 };
  const kept = digits.slice(0, count);
  const next = digits[count] as string;
  const tie = next === "5" && count + 1 === digits.length;
  const odd = count > 0 && Number(kept[count - 1]) % 2 === 1;
  if (tie ? !odd : next < "5") return trimmed(kept, point);
  const up = count === 0 ? "1" : (BigInt(kept) + 1n).toString().padStart(count, "0");
  return trimmed(up, point + up.length - count);
}

function trimmed(digits: string, point: number): Decimal {
  const short = digits.replace(/0+$/, "");
  return { digits: short, point: short === "" ? 0 : point };
}

function fixed(decimal: Decimal, decimals: number): string {
  const { digits, point } = decimal;
  const whole = point > 0 ? digits.slice(0, point).padEnd(point, "0") : "0";
  const fraction = (point < 0 ? "0".repeat(-point) + digits : digits.slice(Math.max(point, 0))).padEnd(decimals, "0");
  return decimals > 0 ? `${whole}.${fraction.slice(0, decimals)}` : whole;
}

function withExponent(decimal: Decimal, decimals: number, letter: string): string {
  const exponent = decimal.digits === "" ? 0 : decimal.point - 1;
  const mantissa = decimal.digits.padEnd(decimals + 1, "0");
  const fraction = decimals > 0 ? `.${mantissa.slice(1, decimals + 1)}` : "";
  return `${mantissa[0]}${fraction}${letter}${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
}

/**
 * Prints a number without its sign, in the format that the verb e, f, g, x or b selects. With a precision of -1,
 * prints the shortest text that is parsed as the same number.
 */
export function floatText(value: number, verb: "e" | "f" | "g" | "x" | "b", precision: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return "Inf";
  if (verb === "b") {
    const { mantissa, exponent } = binaryParts(value);
    return `${mantissa}p${exponent < 0 ? "-" : "+"}${Math.abs(exponent)}`;
  }
  if (verb === "x") return hexadecimal(value, precision);
  const shortest = precision < 0;
  const exact = shortest ? shortestDecimal(value) : exactDecimal(value);
  if (verb === "f") {
    const decimals = shortest ? Math.max(exact.digits.length - exact.point, 0) : precision;
    return fixed(shortest ? exact : round(exact, exact.point + decimals), decimals);
  }
  if (verb === "e") {
    const decimals = shortest ? Math.max(exact.digits.length - 1, 0) : precision;
    return withExponent(round(exact, decimals + 1), decimals, "e");
  }
  const significant = precision === 0 ? 1 : precision;
  const decimal = shortest ? exact : round(exact, significant);
  const { digits, point } = decimal;
  let limit = significant;
  if (limit > digits.length && digits.length >= point) limit = digits.length;
  if (shortest) limit = 6;
  const exponent = digits === "" ? 0 : point - 1;
  if (exponent < -4 || exponent >= limit) return withExponent(decimal, Math.max(digits.length - 1, 0), "e");
  return fixed(decimal, Math.max(digits.length - point, 0));
}

function hexadecimal(value: number, precision: number): string {
  const { mantissa, exponent } = binaryParts(value);
  if (mantissa === 0n) return `0x0${precision > 0 ? `.${"0".repeat(precision)}` : ""}p+00`;
  const shift = 53 - mantissa.toString(2).length;
  let top = mantissa << BigInt(shift);
  let power = exponent - shift + 52;
  if (precision >= 0 && precision < 13) {
    const dropped = BigInt(52 - 4 * precision);
    const half = 1n << (dropped - 1n);
    const rest = top & ((1n << dropped) - 1n);
    top >>= dropped;
    if (rest > half || (rest === half && (top & 1n) === 1n)) top += 1n;
    top <<= dropped;
    if (top >> 53n) {
      top >>= 1n;
      power += 1;
    }
  }
  const digits = (top & 0xfffffffffffffn).toString(16).padStart(13, "0");
  const fraction = precision < 0 ? digits.replace(/0+$/, "") : digits.slice(0, precision).padEnd(precision, "0");
  const sign = power < 0 ? "-" : "+";
  return `0x1${fraction === "" ? "" : `.${fraction}`}p${sign}${String(Math.abs(power)).padStart(2, "0")}`;
}

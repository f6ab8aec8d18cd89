// Parses numbers as Go's strconv does: integers with a base prefix such as 0x, floats in decimal and hexadecimal,
// `inf`, and single underscores between digits (docs/reference/grok.md#types).

/**
 * Parses an integer. Returns undefined when the string is not an integer. The result is a bigint that is not limited to
 * 64 bits. With base 0 a prefix such as 0x decides the base, and underscores are allowed.
 */
export function parseInteger(text: string, base: number): bigint | undefined {
  const negative = text.startsWith("-");
  let digits = negative || text.startsWith("+") ? text.slice(1) : text;
  let radix = base;
  if (base === 0) {
    const match = /^(?:0([xX])(?=_?[0-9A-Fa-f])|0([bB])(?=_?[01])|0([oO])(?=_?[0-7])|(0)(?=[0-9A-Za-z_]))/.exec(digits);
    radix = match === null ? 10 : match[1] !== undefined ? 16 : match[2] !== undefined ? 2 : 8;
    if (digits.includes("_")) {
      const body = match === null ? `0${digits}` : `0${digits.slice(match[0].length)}`;
      // An underscore must be between two digits, or between a base prefix and a digit.
      if (!/^[0-9A-Za-z]+(?:_[0-9A-Za-z]+)*$/.test(body) || (match === null && digits.startsWith("_")))
        return undefined;
      digits = (match?.[0] ?? "") + digits.slice(match?.[0].length ?? 0).replaceAll("_", "");
    }
    if (match !== null) digits = digits.slice(match[0].length);
  }
  const value = readDigits(digits, radix);
  return value !== undefined && negative ? -value : value;
}

function readDigits(digits: string, radix: number): bigint | undefined {
  if (digits === "") return undefined;
  if (radix === 10) return /^[0-9]+$/.test(digits) ? BigInt(digits) : undefined;
  let value = 0n;
  const big = BigInt(radix);
  for (const c of digits) {
    if (!/[0-9A-Za-z]/.test(c)) return undefined;
    const digit = Number.parseInt(c, 36);
    if (digit >= radix) return undefined;
    value = value * big + BigInt(digit);
  }
  return value;
}

export function fitsInt64(value: bigint): boolean {
  return BigInt.asIntN(64, value) === value;
}

const DECIMAL =
  /^[+-]?(?:[0-9]+(?:_[0-9]+)*\.?(?:[0-9]+(?:_[0-9]+)*)?|\.[0-9]+(?:_[0-9]+)*)(?:[eE][+-]?[0-9]+(?:_[0-9]+)*)?$/;
// In a hexadecimal float, an underscore is allowed between two digits and directly after the prefix 0x.
const HEXADECIMAL =
  /^([+-]?)0[xX](?:((?:_?[0-9A-Fa-f])+)\.?([0-9A-Fa-f](?:_?[0-9A-Fa-f])*)?|\.([0-9A-Fa-f](?:_?[0-9A-Fa-f])*))[pP]([+-]?[0-9](?:_?[0-9])*)$/;
const SPECIAL = /^([+-]?)(?:inf(?:inity)?|nan)$/i;

/**
 * Parses a float. Returns undefined when the string is not a float, or when the value is too large for a double.
 * Infinity is returned only for the string `inf` (and its variants).
 */
export function parseFloat64(text: string): number | undefined {
  if (DECIMAL.test(text)) {
    const value = Number(text.replaceAll("_", ""));
    return Number.isFinite(value) ? value : undefined;
  }
  const special = SPECIAL.exec(text);
  if (special !== null) {
    if (/nan$/i.test(text)) return special[1] === "" ? Number.NaN : undefined;
    return special[1] === "-" ? -Infinity : Infinity;
  }
  const hex = HEXADECIMAL.exec(text);
  return hex === null ? undefined : hexFloat(hex);
}

function hexFloat(hex: RegExpExecArray): number | undefined {
  const [, sign, whole = "", fraction = "", onlyFraction = "", exponent = "0"] = hex.map((part) =>
    part?.replaceAll("_", ""),
  );
  const after = fraction + onlyFraction;
  let mantissa = BigInt(`0x${whole}${after}`);
  if (mantissa === 0n) return sign === "-" ? -0 : 0;
  let power = Number(exponent) - 4 * after.length;
  const bits = mantissa.toString(2).length;
  // Number of low bits of the mantissa that do not fit into the nearest double and are rounded away. A subnormal
  // double (below 2^-1022) has fewer mantissa bits than other doubles, so more bits are rounded away. All these
  // bits are rounded away in one step (ties to even), because rounding twice could produce a wrong double.
  const surplus = Math.max(power + bits - 53, -1074) - power;
  if (surplus > bits + 1) return sign === "-" ? -0 : 0;
  if (surplus > 0) {
    const shift = BigInt(surplus);
    const rest = mantissa & ((1n << shift) - 1n);
    const half = 1n << (shift - 1n);
    mantissa >>= shift;
    if (rest > half || (rest === half && (mantissa & 1n) === 1n)) mantissa++;
    power += surplus;
  }
  if (power > 1023) return undefined;
  // After this rounding, a double can store the mantissa exactly, and also the product of the mantissa and 2 to
  // the power of `power`, unless the product is too large. A very small power of two is split into two factors,
  // because each factor must be a normal (not subnormal) double.
  const value = power < -1000 ? Number(mantissa) * 2 ** (power + 100) * 2 ** -100 : Number(mantissa) * 2 ** power;
  if (!Number.isFinite(value)) return undefined;
  return sign === "-" ? -value : value;
}

/** Largest number of decimal digits that a double can always represent exactly. */
const EXACT_DIGITS = 15;

/**
 * Parses `bytes[start, end)` as plain decimal digits, with a fraction when `fraction` is true. Returns undefined when
 * the number has another syntax, begins with a 0 that may mean another base, or has too many digits to be exact.
 */
export function decimal(bytes: Uint8Array, start: number, end: number, fraction: boolean): number | undefined {
  const negative = bytes[start] === 0x2d;
  const first = negative ? start + 1 : start;
  if (first >= end || end - first > EXACT_DIGITS) return undefined;
  if (bytes[first] === 0x30 && end - first > 1 && !fraction) return undefined;
  let value = 0;
  let scale = 0;
  for (let at = first; at < end; at++) {
    const digit = (bytes[at] as number) - 0x30;
    if (digit >= 0 && digit <= 9) {
      value = value * 10 + digit;
      scale *= 10;
    } else if (digit === -2 && fraction && scale === 0 && at > first && at + 1 < end) scale = 1;
    else return undefined;
  }
  // `value` is the number without its decimal point, and `scale` is the power of ten to divide it by. A double
  // stores both exactly, so the quotient is the double nearest to the decimal number. For an int, a minus sign
  // before 0 is ignored.
  if (scale > 1) value /= scale;
  return negative && (value !== 0 || fraction) ? -value : value;
}

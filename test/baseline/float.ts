// Writes doubles as decimal text, with and without an exponent. The text has the fewest digits that parse to the
// same double again (docs/reference/points.md#writing-line-protocol).

/**
 * Returns a double as decimal text without exponent and without `.0`. `-0` keeps its sign, and `1e21` has 22
 * digits. The values NaN and infinity become the texts `NaN`, `+Inf` and `-Inf`.
 */
export function plainFloat(value: number): string {
  if (value === 0) return Object.is(value, -0) ? "-0" : "0";
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
  const text = String(value);
  const e = text.indexOf("e");
  return e < 0 ? text : withoutExponent(text.slice(0, e), Number(text.slice(e + 1)));
}

/** Returns a finite double as a JSON number, with an exponent only below 1e-6 and from 1e21. */
export function jsonFloat(value: number): string {
  return Object.is(value, -0) ? "-0" : String(value);
}

/**
 * Returns the number `mantissa` * 10^`exponent` as digits without an exponent. Called only for numbers from 1e21 on and
 * below 1e-6, because JavaScript itself writes all other numbers without an exponent.
 */
function withoutExponent(mantissa: string, exponent: number): string {
  const sign = mantissa.startsWith("-") ? "-" : "";
  const digits = mantissa.replace("-", "").replace(".", "");
  if (exponent < 0) return `${sign}0.${"0".repeat(-exponent - 1)}${digits}`;
  return sign + digits.padEnd(exponent + 1, "0");
}

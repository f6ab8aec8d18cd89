// Formats floats with the fewest digits that are read back as the same double
// (docs/reference/language.md#writing-to-the-point; docs/reference/points.md#writing-line-protocol).

/**
 * Formats a float without an exponent, so that `1e21` becomes `1000000000000000000000`. Special values are `NaN`,
 * `+Inf`, `-Inf` and `-0`.
 */
export function formatFloat(x: number): string {
  if (Number.isNaN(x)) return "NaN";
  if (!Number.isFinite(x)) return x > 0 ? "+Inf" : "-Inf";
  if (Object.is(x, -0)) return "-0";
  const text = String(x);
  const exponentAt = text.indexOf("e");
  if (exponentAt < 0) return text;
  const sign = x < 0 ? "-" : "";
  const exponent = Number(text.slice(exponentAt + 1));
  const [whole, fraction = ""] = text.slice(sign.length, exponentAt).split(".") as [string, string?];
  const digits = whole + fraction;
  if (exponent < 0) return `${sign}0.${"0".repeat(-exponent - 1)}${digits}`;
  return sign + digits.padEnd(exponent + 1, "0");
}

/**
 * Formats a float as JSON does: with an exponent of at least `exponentDigits` digits when the number is below
 * 1e-6 or at least 1e21, as in JavaScript. NaN and infinities are not allowed, because JSON cannot express them.
 */
export function formatFloatJson(x: number, exponentDigits: 1 | 2 = 2): string {
  if (Object.is(x, -0)) return "-0";
  const text = String(x);
  if (exponentDigits === 1 || (x > -1e21 && x < 1e21 && (x >= 1e-6 || x <= -1e-6 || x === 0))) return text;
  return text.replace(/e([+-])(\d)$/, "e$10$2");
}

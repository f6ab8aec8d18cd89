// Floats as text (docs/reference/language.md#writing-to-the-point; docs/reference/points.md#writing-line-protocol): shortest digits that
// read back as the same double.

/** Formats a float without an exponent: `1e21` is `1000000000000000000000`; also `NaN`, `+Inf`, `-Inf`, `-0`. */
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
 * Formats a float as in JSON text: with an exponent below 1e-6 and from 1e21 on, of at least `exponentDigits` digits.
 * JavaScript switches at the same magnitudes. Not for NaN and infinities, which JSON cannot hold.
 */
export function formatFloatJson(x: number, exponentDigits: 1 | 2 = 2): string {
  if (Object.is(x, -0)) return "-0";
  const text = String(x);
  if (exponentDigits === 1 || (x > -1e21 && x < 1e21 && (x >= 1e-6 || x <= -1e-6 || x === 0))) return text;
  return text.replace(/e([+-])(\d)$/, "e$10$2");
}

// Converts the times of points to and from nanoseconds. The parameter `precision` may name the unit of a time;
// otherwise the unit is detected from the size of the number (docs/reference/points.md#writing-line-protocol).

const units: ReadonlyMap<string, bigint> = new Map([
  ["n", 1n],
  ["ns", 1n],
  ["u", 1_000n],
  ["us", 1_000n],
  ["ms", 1_000_000n],
  ["s", 1_000_000_000n],
  ["m", 60_000_000_000n],
  ["h", 3_600_000_000_000n],
]);

/** The allowed values of the parameter `precision`. */
export const precisions: readonly string[] = [...units.keys()];

const maxTime = 9223372036854775806n;
const minTime = -maxTime;

/** Error message for a time that is out of range, either as it was written or after its conversion to nanoseconds. */
export const timeOutsideRange = "time outside range -9223372036854775806 - 9223372036854775806";

/** Returns whether a time, as written before conversion, is within the range of a point's time. */
export function isTimeInRange(time: bigint): boolean {
  return time <= maxTime && time >= minTime;
}

/** Returns the number of nanoseconds in a unit of time such as `ms`; an unknown unit counts as nanoseconds. */
export function nanosecondsIn(precision: string): bigint {
  return units.get(precision) ?? 1n;
}

/**
 * Returns the time of a point in nanoseconds. A time that is missing, zero or negative is replaced by `now`. Without a
 * precision, the size of the number decides its unit. Returns `undefined` when the result is out of range.
 *
 * @example
 * resolveTime(1_700_000_000n, undefined, 0n); // 1700000000000000000n: seconds, by the size of the number
 * resolveTime(5n, "ms", 0n); // 5000000n
 */
export function resolveTime(sent: bigint | undefined, precision: string | undefined, now: bigint): bigint | undefined {
  if (sent === undefined || sent <= 0n) return now;
  return within(sent * unitOf(sent, precision));
}

/** Largest number of digits that are read from a number; further digits cannot change a time that is in range. */
const mostDigits = 40;

/**
 * Returns the time of a point in nanoseconds, as `resolveTime` does, for a JSON number with a fraction or an
 * exponent. The conversion is exact and cuts off fractions of a nanosecond. Without a precision, the size of the
 * number's integer part decides its unit.
 *
 * @example
 * resolveDecimal("1.5e3", "ms", 0n); // 1500000000n
 */
export function resolveDecimal(text: string, precision: string | undefined, now: bigint): bigint | undefined {
  const [, sign, whole, fraction = "", exponent = "0"] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text)!;
  const all = (whole + fraction).replace(/^0+/, "");
  if (sign === "-" || all === "") return now;
  /**
   * Number of digits before the decimal point when the number is written without an exponent. A negative value -n
   * means that n zeros come between the decimal point and the first digit that is not zero.
   */
  const before = all.length - fraction.length + Number(exponent);
  if (before > mostDigits) return undefined;
  if (before < -mostDigits) return now;
  const digits = all.slice(0, mostDigits);
  const after = digits.length - before;
  const value = BigInt(digits) * 10n ** BigInt(Math.max(0, -after));
  const divisor = 10n ** BigInt(Math.max(0, after));
  const scaled = (value * unitOf(value / divisor, precision)) / divisor;
  return scaled === 0n ? now : within(scaled);
}

function unitOf(sent: bigint, precision: string | undefined): bigint {
  return precision === undefined || precision === "" ? detectUnit(sent) : nanosecondsIn(precision);
}

function within(time: bigint): bigint | undefined {
  return time > maxTime ? undefined : time;
}

/**
 * Guesses the unit of a time from the size of its number, and returns the number of nanoseconds in this unit.
 * `assembly/correct/time.ts` has the same limits, for bodies that WebAssembly decodes.
 */
function detectUnit(sent: bigint): bigint {
  if (sent < 10_000_000_000n) return 1_000_000_000n;
  if (sent < 10_000_000_000_000n) return 1_000_000n;
  return sent < 10_000_000_000_000_000n ? 1_000n : 1n;
}

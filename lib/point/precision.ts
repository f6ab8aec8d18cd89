// Times on the wire: units of `precision`, detection of the unit, and conversion back (docs/reference/points.md#writing-line-protocol and
// 11).

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

/** The texts that `precision` may have. */
export const precisions: readonly string[] = [...units.keys()];

const maxTime = 9223372036854775806n;

/** The reason why a time is refused, as written or after scaling. */
export const timeOutsideRange = "time outside range -9223372036854775806 - 9223372036854775806";

/** Returns whether a point can have a time, as written before scaling. */
export function isTimeInRange(time: bigint): boolean {
  return time <= maxTime && time >= -maxTime;
}

/** Returns the nanoseconds in one unit of `precision`; an unknown text means nanoseconds. */
export function nanosecondsIn(precision: string): bigint {
  return units.get(precision) ?? 1n;
}

/**
 * Returns the time of a point in nanoseconds. A time that is missing, zero or negative becomes `now`, unscaled; without
 * a precision the size of the number decides its unit. Returns `undefined` when the result is out of range.
 */
export function resolveTime(sent: bigint | undefined, precision: string | undefined, now: bigint): bigint | undefined {
  if (sent === undefined || sent <= 0n) return now;
  return within(sent * unitOf(sent, precision));
}

/** Most digits that are read: more than the largest unit and the range of times can distinguish. */
const mostDigits = 40;

/**
 * Does the same as `resolveTime`, exactly, for a JSON number with a fraction or an exponent. Cuts off parts smaller
 * than a nanosecond. Without a precision the whole part decides the unit.
 */
export function resolveDecimal(text: string, precision: string | undefined, now: bigint): bigint | undefined {
  const [, sign, whole, fraction = "", exponent = "0"] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text)!;
  const all = (whole + fraction).replace(/^0+/, "");
  if (sign === "-" || all === "") return now;
  /** Number of digits before the dot. */
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

function detectUnit(sent: bigint): bigint {
  if (sent < 10_000_000_000n) return 1_000_000_000n;
  if (sent < 10_000_000_000_000n) return 1_000_000n;
  return sent < 10_000_000_000_000_000n ? 1_000n : 1n;
}

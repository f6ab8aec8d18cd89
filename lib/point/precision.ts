// Times on the wire: units of `precision`, detection of the unit, and the way back (points document, sections 4 and 11).

const units: ReadonlyMap<string, bigint> = new Map([
  ["u", 1_000n],
  ["ms", 1_000_000n],
  ["s", 1_000_000_000n],
  ["m", 60_000_000_000n],
  ["h", 3_600_000_000_000n],
]);

const maxTime = 9223372036854775806n;

/** The reason a time is refused, as written or once scaled. */
export const timeOutsideRange = "time outside range -9223372036854775806 - 9223372036854775806";

/** Whether a time as written, before it is scaled, is one a point can have. */
export function isTimeInRange(time: bigint): boolean {
  return time <= maxTime && time >= -maxTime;
}

/** Nanoseconds in one unit of `precision`; `n` and every unknown text are nanoseconds. */
export function nanosecondsIn(precision: string): bigint {
  return units.get(precision) ?? 1n;
}

/**
 * The time of a point in nanoseconds. A time that is missing, zero or negative is `now`, unscaled; without a precision the
 * size of the number tells its unit. `undefined` when the result is out of range.
 */
export function resolveTime(sent: bigint | undefined, precision: string | undefined, now: bigint): bigint | undefined {
  if (sent === undefined || sent <= 0n) return now;
  const scaled = sent * (precision === undefined || precision === "" ? detectUnit(sent) : nanosecondsIn(precision));
  return scaled > maxTime ? undefined : scaled;
}

function detectUnit(sent: bigint): bigint {
  if (sent < 10_000_000_000n) return 1_000_000_000n;
  if (sent < 10_000_000_000_000n) return 1_000_000n;
  return sent < 10_000_000_000_000_000n ? 1_000n : 1n;
}

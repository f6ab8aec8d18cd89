// Converts between times in nanoseconds and strings such as 2026-01-02T03:04:05.123456789Z.

const form = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/;
const second = 1_000_000_000n;

/** Returns the time in nanoseconds since 1970, or null when the string is not a time. */
export function parseTime(text: string): bigint | null {
  const parts = form.exec(text);
  if (parts === null) return null;
  const milliseconds = Date.parse(`${parts[1]}${parts[3]}`);
  if (Number.isNaN(milliseconds)) return null;
  return BigInt(milliseconds) * 1_000_000n + BigInt((parts[2] ?? "").padEnd(9, "0"));
}

export function timeText(time: bigint): string {
  const rest = ((time % second) + second) % second;
  const date = new Date(Number((time - rest) / 1_000_000n));
  if (Number.isNaN(date.getTime())) return `${time} ns`;
  const fraction = rest === 0n ? "" : `.${String(rest).padStart(9, "0").replace(/0+$/, "")}`;
  return date.toISOString().replace(/\.000Z$/, `${fraction}Z`);
}

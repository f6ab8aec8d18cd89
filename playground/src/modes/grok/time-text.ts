// Formats the time that matching one line takes.

/** Returns a time in nanoseconds as text such as `840 ns`, `12.1 µs` or `3.4 ms`. */
export function timeText(nanoseconds: number): string {
  if (nanoseconds < 1000) return `${Math.round(nanoseconds)} ns`;
  const [value, unit] = nanoseconds < 1e6 ? [nanoseconds / 1e3, "µs"] : [nanoseconds / 1e6, "ms"];
  return `${value < 100 ? value.toFixed(1) : Math.round(value)} ${unit}`;
}

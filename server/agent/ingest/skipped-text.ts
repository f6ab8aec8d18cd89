// How the log tells of points that were taken and cannot be written down.

export function skippedText(points: number): string {
  return `${points} points cannot be said in line protocol (no field, or a series over 65,535 bytes); skipped`;
}

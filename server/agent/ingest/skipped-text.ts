// The text for the log about points that line protocol cannot express.

export function skippedText(points: number): string {
  return `${points} points cannot be said in line protocol (no field, or a series over 65,535 bytes); skipped`;
}

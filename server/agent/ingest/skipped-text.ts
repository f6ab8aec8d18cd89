// Builds the log message about points that were skipped because line protocol cannot express them.

export function skippedText(points: number): string {
  return `${points} points cannot be said in line protocol (no field, or a series over 65,535 bytes); skipped`;
}

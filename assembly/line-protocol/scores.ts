// Scores that say how often the parser's guesses were right. predict.ts guesses all keys of a line at once, and
// chains.ts guesses single keys. When too many guesses were wrong, the parser guesses only now and then.

/** Lowest score with which the scanner always guesses. */
export const LEAST_SCORE: i32 = -4;
const LOWEST: i32 = -8;
const HIGHEST: i32 = 7;
/** When the score is below LEAST_SCORE, the scanner makes a guess only in one of this number of cases. */
export const RETRIED: u32 = 64;

/** Adds `change` to the score at the address `score`. The score never leaves the range from LOWEST to HIGHEST. */
// @ts-ignore: decorator
@inline
export function changeScore(score: usize, change: i32): void {
  store<i8>(score, <i8>max(min(<i32>load<i8>(score) + change, HIGHEST), LOWEST));
}

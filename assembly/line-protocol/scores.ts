// Scores that say how often guesses were right: guesses of a whole line (predict.ts) and of single keys (chains.ts).
// After too many wrong guesses, the scanner guesses only now and then.

/** Lowest score with which the scanner always guesses. */
export const LEAST_SCORE: i32 = -4;
const LOWEST: i32 = -8;
const HIGHEST: i32 = 7;
/** When the score is below LEAST_SCORE, the scanner guesses only once in this many times. */
export const RETRIED: u32 = 64;

/** Adds `change` to the score at the address `score`. The score never leaves the range from LOWEST to HIGHEST. */
// @ts-ignore: decorator
@inline
export function changeScore(score: usize, change: i32): void {
  store<i8>(score, <i8>max(min(<i32>load<i8>(score) + change, HIGHEST), LOWEST));
}

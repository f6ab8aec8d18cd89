// Integers of 64 bits in JavaScript.

/** A signed or unsigned integer: a number when it is a safe integer of JavaScript, otherwise a bigint. */
export type Integer = number | bigint;

/**
 * Returns the integer as a number when it is a safe integer of JavaScript, otherwise as a bigint.
 *
 * @example
 * integer(2n ** 53n); // 9007199254740992n
 */
export function integer(value: bigint): Integer {
  return value >= -9007199254740991n && value <= 9007199254740991n ? Number(value) : value;
}

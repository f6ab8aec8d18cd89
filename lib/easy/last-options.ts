// Compares options with those of the last call of a method. Programs pass the same options again and again, often as a
// new object, and comparing them takes a fraction of the time of checking them.
//
// Two plain objects have the same members when they have the same number of members, and each option that the method
// knows has the same value in both, where no value is undefined. So the names need not be compared one by one.

/**
 * Returns the number of members of a plain object, and -1 for anything else. A getter of a class would be a member that
 * is not counted, so instances of classes have no number.
 */
export function memberCount(options: object): number {
  // Reading `constructor` takes a tenth of the time of Object.getPrototypeOf.
  if (options === null || options.constructor !== Object) return -1;
  let count = 0;
  for (const _name in options) count++;
  return count;
}

/**
 * Returns the number of members of options that were checked and may be remembered, and -2 for other options. An object
 * among the values may change between two calls. An undefined value looks like an absent one.
 */
export function rememberedCount(options: object): number {
  const changes = (value: unknown): boolean => value === undefined || (typeof value === "object" && value !== null);
  if (Object.getPrototypeOf(options) !== Object.prototype || Object.values(options).some(changes)) return -2;
  return Object.keys(options).length;
}

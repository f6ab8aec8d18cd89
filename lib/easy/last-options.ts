// Remembers the options of the last call of a method. Programs pass the same options again and again, often as a new
// object, and comparing the members of two objects is much faster than checking them.

/**
 * Remembers the options of a method's last call, and the result that the method computed from them. Options with a
 * member that is an object are not remembered, because the object may change between two calls.
 */
export class LastOptions<O extends object, R> {
  private names: readonly string[] = [];
  private last: O | null = null;
  private made: R | null = null;
  private readonly areEqual: (a: O, b: O) => boolean;

  /**
   * `areEqual` compares the members of two option objects. It leaves out members that the caller checks at each call.
   */
  constructor(areEqual: (a: O, b: O) => boolean) {
    this.areEqual = areEqual;
  }

  /** Returns the result that was kept for equal options; null when the last options were different. */
  find(options: O): R | null {
    const { last, names } = this;
    if (last === null || options === null) return null;
    let at = 0;
    for (const name in options) {
      if (names[at] !== name) return null;
      at++;
    }
    // An instance of a class may have further members as getters, which the loop above does not find.
    if (at !== names.length || Object.getPrototypeOf(options) !== Object.prototype) return null;
    return this.areEqual(options, last) ? this.made : null;
  }

  /** Remembers options that were checked, and the result that a method computed from them. */
  keep(options: O, made: R): void {
    if (Object.getPrototypeOf(options) !== Object.prototype) return;
    if (Object.values(options).some((value) => typeof value === "object" && value !== null)) return;
    this.names = Object.keys(options);
    this.last = { ...options };
    this.made = made;
  }
}

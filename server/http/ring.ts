// A list of objects that enter and leave often. Each member holds the links itself, so that neither step allocates
// memory or looks anything up.

/**
 * A member of a ring, or the head of one. The head is no member: it lies between the newest member and the oldest one.
 * A member that has not entered a ring, or has left it, is linked to itself.
 */
export class RingLink {
  private previous: RingLink = this;
  private following: RingLink = this;

  /** The member that entered the ring after this one; for the head, the oldest member, or the head of an empty ring. */
  get next(): RingLink {
    return this.following;
  }

  get isLinked(): boolean {
    return this.following !== this;
  }

  /** Enters the ring with this head as its newest member. The object must not be a member of a ring. */
  enter(head: RingLink): void {
    this.previous = head.previous;
    this.following = head;
    head.previous.following = this;
    head.previous = this;
  }

  /** Leaves the ring. Does nothing when the object is not in a ring. */
  leave(): void {
    this.previous.following = this.following;
    this.following.previous = this.previous;
    this.previous = this;
    this.following = this;
  }
}

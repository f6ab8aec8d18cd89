// A linked list for objects that are often added and removed. The links are members of the objects themselves,
// so that adding or removing an object needs neither new memory nor a search. A `Set` would hash each object, which
// costs senders of small writes a sixth of their speed (docs/decisions/speed-on-the-write-path.md).

/**
 * A member of a ring (a circular linked list), or the head of the ring. The head is not itself a member; it is
 * the link between the newest and the oldest member. An object outside of a ring is linked to itself.
 */
export class RingLink {
  private previous: RingLink = this;
  private following: RingLink = this;

  /**
   * For a member: the member that was added directly after it, or the head if it is the newest. For the head: the
   * oldest member, or the head itself if the ring is empty.
   */
  get next(): RingLink {
    return this.following;
  }

  get isLinked(): boolean {
    return this.following !== this;
  }

  /**
   * Adds this object to the ring with the given head, as the ring's newest member. The object must not be in a ring
   * yet.
   */
  enter(head: RingLink): void {
    this.previous = head.previous;
    this.following = head;
    head.previous.following = this;
    head.previous = this;
  }

  /** Takes this object out of its ring. Does nothing when the object is not in a ring. */
  leave(): void {
    this.previous.following = this.following;
    this.following.previous = this.previous;
    this.previous = this;
    this.following = this;
  }
}

// The interface between the sockets of the input and what becomes of their messages.

/** Why a message or a connection was not taken in full, for the counters. */
export type Loss = "cut" | "dropped-full" | "dropped-kernel";
export type Closing = "limit" | "unfinished" | "framing" | "idle" | "tls";

export interface Sink {
  /** Whether no more messages should be taken at the moment. */
  readonly isFull: boolean;
  /**
   * Takes the message `[from, to)` of `bytes`, which are valid during the call. `sender`: the address that it came from;
   * empty when there is none, or when it is this machine.
   */
  take(bytes: Uint8Array, from: number, to: number, sender: string): void;
  lost(loss: Loss, count: number): void;
  closed(reason: Closing, sender: string, detail: string): void;
}

/** Returns the address of a sender as the value of the tag `host`; empty for this machine. */
export function senderOf(address: string | undefined): string {
  if (address === undefined) return "";
  const plain = address.replace(/^::ffff:(?=\d+\.)/, "").replace(/%.*$/, "");
  return plain === "::1" || plain.startsWith("127.") ? "" : plain;
}

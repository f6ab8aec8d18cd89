// The interface between the sockets of the input `syslog` and the code that processes the messages.

/** The reasons why a message was cut or dropped, for the metrics. */
export type Loss = "cut" | "dropped-full" | "dropped-kernel";
export type Closing = "limit" | "unfinished" | "framing" | "idle" | "tls";

export interface Sink {
  /**
   * Whether the sockets must stop passing on messages for now, because the messages that wait to be stored take
   * too much memory.
   */
  readonly isFull: boolean;
  /**
   * Processes the message in the range `[from, to)` of `bytes`, which are valid only during the call. `sender`: the
   * address of the sender; empty when it is unknown or is this machine.
   */
  take(bytes: Uint8Array, from: number, to: number, sender: string): void;
  lost(loss: Loss, count: number): void;
  closed(reason: Closing, sender: string, detail: string): void;
}

/**
 * Returns the sender's address in the form in which it becomes the tag `host`; empty when the sender is this machine or
 * has no address.
 */
export function senderOf(address: string | undefined): string {
  if (address === undefined) return "";
  const plain = address.replace(/^::ffff:(?=\d+\.)/, "").replace(/%.*$/, "");
  return plain === "::1" || plain.startsWith("127.") ? "" : plain;
}

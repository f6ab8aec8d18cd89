// Reads the one message of a gRPC request: a byte that tells whether the message is compressed, the length of the
// message in four bytes, and the message.

import type { Readable } from "node:stream";
import type { Reservation } from "../../../http/body/inflight.ts";
import { Pace } from "../../../http/body/pace.ts";
import { GrpcError, grpcStatus } from "./status.ts";

export interface GrpcMessage {
  readonly bytes: Uint8Array;
  readonly isCompressed: boolean;
}

const prefixBytes = 5;

/**
 * Reads the message of a request. Reserves memory in `held` for the bytes as they arrive. Throws GrpcError when there
 * is not exactly one message, when the message is longer than `cap` bytes, or when it arrives too slowly. Throws
 * ApiError when the memory limit is reached.
 */
export function readMessage(stream: Readable, cap: number, held: Reservation): Promise<GrpcMessage> {
  return new Promise((resolve, reject) => {
    const prefix = Buffer.alloc(prefixBytes);
    let body: Buffer | undefined;
    /** Length of the message in bytes, as its first bytes declare it. */
    let wanted = 0;
    let size = 0;
    const leave = () => {
      pace.end();
      stream.off("data", take).off("end", end).off("error", fail).off("close", close);
    };
    const fail = (error: Error) => {
      leave();
      stream.pause();
      reject(error);
    };
    const take = (chunk: Buffer) => {
      pace.note(chunk.length);
      let from = 0;
      if (body === undefined) {
        from = Math.min(chunk.length, prefixBytes - size);
        chunk.copy(prefix, size, 0, from);
        size += from;
        if (size < prefixBytes) return;
        const length = prefix.readUInt32BE(1);
        if (prefix[0]! > 1)
          return fail(new GrpcError(grpcStatus.invalidArgument, "the message begins with a wrong byte"));
        if (length > cap) return fail(tooLarge(cap));
        wanted = length;
        body = noBytes;
        size = 0;
      }
      const needed = size + chunk.length - from;
      if (needed > wanted) return fail(new GrpcError(grpcStatus.unimplemented, "a request must hold one message"));
      try {
        if (needed > body.length)
          body = enlarged(body, size, Math.min(wanted, Math.max(firstBytes, needed * growth)), held);
      } catch (error) {
        return fail(error as Error);
      }
      chunk.copy(body, size, from);
      size = needed;
    };
    const end = () => {
      if (body === undefined || size < wanted) return fail(cutOff());
      leave();
      resolve({ bytes: body, isCompressed: prefix[0] === 1 });
    };
    const close = () => fail(cutOff());
    const pace = new Pace(held.minBytesPerSecond, () =>
      fail(new GrpcError(grpcStatus.deadlineExceeded, "the message comes too slowly")),
    );
    stream.on("data", take).on("end", end).on("error", fail).on("close", close);
  });
}

const noBytes = Buffer.alloc(0);
/** Size in bytes of the first buffer for a gRPC message. */
const firstBytes = 64 * 1024;
/** Size of a new buffer, which replaces a full one, as a multiple of the number of bytes that have arrived. */
const growth = 4;

/**
 * Returns a new buffer of `length` bytes that begins with the first `size` bytes of `body`. Throws ApiError when the
 * memory limit is reached.
 */
function enlarged(body: Buffer, size: number, length: number, held: Reservation): Buffer {
  held.grow(length - body.length);
  const larger = Buffer.allocUnsafeSlow(length);
  body.copy(larger, 0, 0, size);
  return larger;
}

export const tooLarge = (cap: number) =>
  new GrpcError(grpcStatus.resourceExhausted, `a message may have at most ${cap} bytes; send less at once`);
const cutOff = () => new GrpcError(grpcStatus.invalidArgument, "the message is cut off");

// What the queue keeps beside the body of a batch.

import type { NewRecord } from "../../queue/types.ts";
import type { Batch, BatchForm } from "./batch.ts";
import type { PassThrough } from "./pass-through.ts";

export type BatchMeta =
  | {
      readonly encoding: BatchForm;
      readonly storageIndex?: string;
      /** Value of X-Global-Tags, possibly empty; without it there is no such header. */
      readonly globalTags?: string;
      /** The body is compressed: one gzip member, which is uploaded alone. */
      readonly gzip?: true;
    }
  /** Records with the same meta go together: `id` keeps these apart. */
  | ({ readonly encoding: "opaque"; readonly id: string } & Omit<PassThrough, "body">);

export function metaBytes(meta: BatchMeta): Buffer {
  return Buffer.from(JSON.stringify(meta));
}

/** Of most batches: nothing but their form. */
const plainMeta: Readonly<Record<BatchForm, BatchMeta>> = { lp: { encoding: "lp" }, pb: { encoding: "pb" } };
const plainBytes = { lp: metaBytes(plainMeta.lp), pb: metaBytes(plainMeta.pb) };

export function metaOf(form: BatchForm, { globalTags, gzip }: Batch, storageIndex: string | undefined): Uint8Array {
  if (globalTags === undefined && gzip === undefined && storageIndex === undefined) return plainBytes[form];
  return metaBytes({
    encoding: form,
    ...(storageIndex === undefined ? {} : { storageIndex }),
    ...(globalTags === undefined ? {} : { globalTags }),
    ...(gzip === undefined ? {} : { gzip }),
  });
}

export function metaIn({ meta }: Pick<NewRecord, "meta">): BatchMeta {
  if (plainBytes.lp.equals(meta)) return plainMeta.lp;
  return plainBytes.pb.equals(meta) ? plainMeta.pb : (JSON.parse(Buffer.from(meta).toString()) as BatchMeta);
}

export function isCompressed(meta: BatchMeta): boolean {
  return meta.encoding !== "opaque" && meta.gzip === true;
}

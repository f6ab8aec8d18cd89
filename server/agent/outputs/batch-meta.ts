// The metadata that the queue stores with each record: how a batch (encoded points of one category) is encoded and
// sent.

import type { NewRecord } from "../../queue/types.ts";
import type { Batch, BatchForm } from "./batch.ts";
import type { PassThrough } from "./pass-through.ts";

export type BatchMeta =
  | {
      readonly encoding: BatchForm;
      readonly storageIndex?: string;
      /** Value of the header X-Global-Tags, possibly empty; undefined when the upload has no such header. */
      readonly globalTags?: string;
      /** Whether the body of the record is compressed. A compressed body is one gzip member and is uploaded alone. */
      readonly gzip?: true;
    }
  /**
   * The metadata of a body that is passed to the gateway unchanged. Each such body gets a different `id`, because the
   * uploader joins records with equal metadata, and these bodies must not be joined.
   */
  | ({ readonly encoding: "opaque"; readonly id: string } & Omit<PassThrough, "body">);

export function metaBytes(meta: BatchMeta): Buffer {
  return Buffer.from(JSON.stringify(meta));
}

/** The metadata of most batches (encoded points). It names only the wire format. */
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

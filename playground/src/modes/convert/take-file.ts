// Reads a dropped or chosen file as the body of the converter. A text file is taken unchanged; any other file is taken
// as protobuf and shown as hex.

import { sizeText } from "../../state/text.ts";
import { t } from "../../text/translate.ts";
import { hexText } from "../../worker/convert/body-text.ts";
import type { WireForm } from "../../worker/convert/conversion.ts";

/** Largest size of a file in bytes, equal to the largest body that an agent uploads. */
const largest = 1024 * 1024;

export type TakenFile =
  | { readonly kind: "taken"; readonly body: string; readonly form: WireForm | "auto" }
  | { readonly kind: "refused"; readonly reason: string };

/** Control characters that show that a file is not a text of points. */
const binary = /[\0-\x08\x0e-\x1f]/;

export async function readBody(file: File): Promise<TakenFile> {
  const refused = (reason: string): TakenFile => ({ kind: "refused", reason });
  if (file.size > largest)
    return refused(
      t("{file} has {size}; this page converts bodies of up to {limit}. Take a part of it.", {
        file: file.name,
        size: sizeText(file.size),
        limit: sizeText(largest),
      }),
    );
  const bytes = new Uint8Array(await file.arrayBuffer());
  if ((bytes[0] === 0x1f && bytes[1] === 0x8b) || (bytes[0] === 0x28 && bytes[1] === 0xb5))
    return refused(t("{file} is compressed. Unpack it first.", { file: file.name }));
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    // The editor uses only LF as line end, so CR LF is replaced.
    if (!binary.test(text)) return { kind: "taken", body: text.replaceAll("\r\n", "\n"), form: "auto" };
  } catch {
    // The bytes are not UTF-8, so they are taken as protobuf below.
  }
  return { kind: "taken", body: hexText(bytes), form: "pb" };
}

// Files that are dropped on the page or saved by the page: their sizes, formats and names.

import type { WireForm } from "../worker/convert/conversion.ts";
import type { Project } from "./project.ts";

/** A dropped file of up to this size in bytes is shown as text in the editor. */
const textFileBytes = 256 * 1024;
/** Largest number of characters that an editor accepts. */
export const longestText = 2 * 1024 * 1024;

/**
 * Returns the text of a file that the editor may show. Returns null when the file is large or compressed, or is not
 * UTF-8 and would therefore lose bytes in the editor.
 */
export async function editableText(file: File): Promise<string | null> {
  if (file.size > textFileBytes || /\.(gz|zst)$/i.test(file.name)) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
  } catch {
    return null;
  }
}

/** Returns the input format that a file's name suggests. */
export function formOf({ name }: File, otherwise: Project["form"]): Project["form"] {
  const bare = name.toLowerCase().replace(/\.(gz|zst)$/, "");
  if (bare.endsWith(".lp")) return "lp";
  if (/\.(pb)?json$/.test(bare) || bare.endsWith(".ndjson") || bare.endsWith(".jsonl")) return "json";
  if (bare.endsWith(".log")) return otherwise === "messages" ? "messages" : "lines";
  return otherwise;
}

const extensions: Readonly<Record<WireForm, string>> = { lp: "lp", json: "json", pbjson: "pb.json", pb: "pb" };

export function fileName(title: string, form: WireForm): string {
  return `${fileStem(title, "points")}.${extensions[form]}`;
}

/** Returns a title as the name of a file without ending; `otherwise` when the title has no letter and no digit. */
export function fileStem(title: string, otherwise: string): string {
  const bare = title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-|-$/g, "");
  return bare || otherwise;
}

export function download(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

// Files that are dropped on the page or saved by it: their sizes, forms and names.

import type { OutputForm } from "../worker/protocol.ts";
import type { Project } from "./project.ts";

/** A dropped file up to this size becomes text in the editor. */
const textFileBytes = 256 * 1024;
/** Characters that an editor takes. */
export const longestText = 2 * 1024 * 1024;

/** The text of a file that an editor may show; null when it is large, packed, or no UTF-8, of which nothing may be lost. */
export async function editableText(file: File): Promise<string | null> {
  if (file.size > textFileBytes || /\.(gz|zst)$/i.test(file.name)) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
  } catch {
    return null;
  }
}

/** What a file's name says about its form. */
export function formOf({ name }: File, otherwise: Project["form"]): Project["form"] {
  const bare = name.toLowerCase().replace(/\.(gz|zst)$/, "");
  if (bare.endsWith(".lp")) return "lp";
  if (/\.(pb)?json$/.test(bare) || bare.endsWith(".ndjson") || bare.endsWith(".jsonl")) return "json";
  if (bare.endsWith(".log")) return otherwise === "messages" ? "messages" : "lines";
  return otherwise;
}

export function fileName(title: string, form: OutputForm): string {
  const bare = title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-|-$/g, "");
  return `${bare || "points"}.${form === "lp" ? "lp" : form === "json" ? "json" : "pb.json"}`;
}

export function download(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

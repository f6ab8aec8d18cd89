// Stores a project in the fragment of a URL, as compressed JSON in the URL-safe base64 alphabet. The browser never
// sends the fragment to a server.

import { deflateSync, inflateSync } from "fflate";
import { t } from "../text/translate.ts";
import { projectPrefix, readAddress } from "./address.ts";
import { type Project, parseProject } from "./project.ts";

/** Largest size of a project in bytes before compression; a larger project gets no link. */
const largest = 2 * 1024 * 1024;
/** Number of characters above which many programs truncate a link. */
export const comfortableLength = 32_000;

/** Returns the URL fragment of a project, without `#`; null when the project is too large for a link. */
export function shareFragment(project: Project): string | null {
  const bytes = new TextEncoder().encode(JSON.stringify(project));
  if (bytes.length > largest) return null;
  return projectPrefix + toBase64Url(deflateSync(bytes, { level: 9 }));
}

/**
 * Returns the project of a URL fragment, with or without `#`; null when the fragment contains no project. Throws when
 * the fragment cannot be read.
 */
export function readFragment(fragment: string): Project | null {
  const { project: text } = readAddress(fragment);
  if (text === null) return null;
  if (!text.startsWith(projectPrefix)) {
    const version = text.slice(0, text.indexOf("."));
    const problem = t(
      "The link has the form {version}, which this page does not know. A newer version of the playground opens it.",
      { version },
    );
    throw new Error(problem);
  }
  try {
    const packed = fromBase64Url(text.slice(projectPrefix.length));
    // The fixed size of the output buffer limits the memory that a malicious link can use when it is decompressed.
    const bytes = inflateSync(packed, { out: new Uint8Array(largest + 1) });
    const project = bytes.length > largest ? null : parseProject(JSON.parse(new TextDecoder().decode(bytes)));
    if (project !== null) return project;
  } catch {
    // Nothing happens here, because the error is thrown below. A link that cannot be decompressed and a link that
    // cannot be parsed cause the same error.
  }
  const damaged = t("The link is damaged: it was perhaps cut on its way.");
  throw new Error(damaged);
}

function toBase64Url(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += 8192) binary += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

function fromBase64Url(text: string): Uint8Array {
  return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (character) => character.charCodeAt(0));
}

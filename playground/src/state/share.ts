// Stores a project in the fragment of a URL: JSON, deflated, in the URL-safe base64 alphabet. The browser never sends
// the fragment to a server.

import { deflateSync, inflateSync } from "fflate";
import { type Project, parseProject } from "./project.ts";

/** Version of the format of the rest; a new format gets a new prefix. */
const prefix = "p1.";
/** Most bytes before compression; a larger project gets no link. */
const largest = 2 * 1024 * 1024;
/** Length beyond which many programs cut a link that they pass on. */
export const comfortableLength = 32_000;

/** Returns the fragment without `#`; null when the project is too large for a link. */
export function shareFragment(project: Project): string | null {
  const bytes = new TextEncoder().encode(JSON.stringify(project));
  if (bytes.length > largest) return null;
  return prefix + toBase64Url(deflateSync(bytes, { level: 9 }));
}

/** Returns the project of a fragment, with or without `#`; null when there is none. Throws when the fragment cannot be read. */
export function readFragment(fragment: string): Project | null {
  const text = fragment.replace(/^#/, "");
  if (!text.startsWith(prefix)) return null;
  try {
    const packed = fromBase64Url(text.slice(prefix.length));
    // The fixed output size bounds what a malicious link can expand to.
    const bytes = inflateSync(packed, { out: new Uint8Array(largest + 1) });
    const project = bytes.length > largest ? null : parseProject(JSON.parse(new TextDecoder().decode(bytes)));
    if (project !== null) return project;
  } catch {
    // The error is thrown below, in one way for everything that can be wrong.
  }
  throw new Error("The link is damaged: it was perhaps cut on its way.");
}

function toBase64Url(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += 8192) binary += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

function fromBase64Url(text: string): Uint8Array {
  return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (character) => character.charCodeAt(0));
}

// Builds the body of an HTTP test from `advance_options.request_body` (docs/reference/agent.md#dial-tests).

import { randomBytes } from "node:crypto";
import { Base64Error, decodeBase64 } from "../../http/body/base64.ts";
import { TaskError } from "./dial-error.ts";
import { type Json, objectsOf, textOf, textsOf } from "./members.ts";

const types = new Set([
  "text/plain",
  "application/json",
  "text/xml",
  "application/x-www-form-urlencoded",
  "text/html",
  "multipart/form-data",
  "",
  "None",
]);

export interface RequestBody {
  readonly bytes: Uint8Array | undefined;
  /** Value of the header Content-Type; undefined when the task sets no content type. */
  readonly contentType: string | undefined;
  /** The body of the HTTP request as a string, as the result of the dial test shows it. */
  readonly text: string;
}

/** Reads the body of the HTTP request from the task. Throws TaskError. */
export function readRequestBody(options: Json): RequestBody {
  const type = textOf(options, "body_type");
  if (!types.has(type)) throw new TaskError(`invalid body type: \`${type}'`);
  if (type === "multipart/form-data") return multipart(options);
  const text = textOf(options, "body");
  const bytes = text === "" ? undefined : Buffer.from(text);
  return { bytes, contentType: type === "" || type === "None" ? undefined : type, text };
}

function multipart(options: Json): RequestBody {
  const boundary = `millrace${randomBytes(16).toString("hex")}`;
  const parts: Buffer[] = [];
  const part = (disposition: string, type: string, content: Uint8Array) => {
    const head = `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n${type}\r\n`;
    parts.push(Buffer.from(head), Buffer.from(content), Buffer.from("\r\n"));
  };
  for (const [name, value] of textsOf(options, "form")) part(`name=${quoted(name)}`, "", Buffer.from(value));
  for (const file of objectsOf(options, "files")) {
    if (textOf(file, "encoding") !== "base64")
      throw new TaskError("only base64 encoding is supported for file encoding");
    const disposition = `name=${quoted(textOf(file, "name"))}; filename=${quoted(textOf(file, "original_file_name"))}`;
    const type = textOf(file, "type").replace(/[\r\n]/g, "") || "application/octet-stream";
    part(disposition, `Content-Type: ${type}\r\n`, contentOf(file));
  }
  parts.push(Buffer.from(`--${boundary}--\r\n`));
  const bytes = Buffer.concat(parts);
  return { bytes, contentType: `multipart/form-data; boundary=${boundary}`, text: bytes.toString() };
}

/**
 * Returns the name of a form field or file in quotes, escaped in the same way as browsers escape it. The name is
 * written into the header Content-Disposition; because of the escapes, no character of the name can end this
 * header.
 */
function quoted(name: string): string {
  return `"${name.replace(/\r/g, "%0D").replace(/\n/g, "%0A").replace(/"/g, "%22")}"`;
}

function contentOf(file: Json): Uint8Array {
  try {
    return decodeBase64(textOf(file, "content"));
  } catch (error) {
    if (!(error instanceof Base64Error)) throw error;
    throw new TaskError(error.message);
  }
}

// Parses the options `--to` (the address of a running agent) and `--ca`, and sends requests to that agent.

import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { request } from "node:http";
import { request as requestSecurely } from "node:https";
import type { ListenAddress } from "../config/listen-address.ts";
import { UsageError } from "./usage-error.ts";

export const placeOptions = { to: { type: "string" }, ca: { type: "string" } } as const;

export type Place =
  | { readonly socketPath: string; readonly host: string }
  | { readonly host: string; readonly port: number }
  | {
      readonly host: string;
      readonly port: number;
      readonly isTls: true;
      readonly ca?: Buffer;
      readonly rejectUnauthorized?: boolean;
    };

const answerMs = 5000;
const maxAnswerBytes = 64 * 1024 * 1024;

/**
 * Parses the values of the options `--to` and `--ca`. `to`: host:port, https://host:port, or the path of a Unix socket.
 * `ca`: a file with the certificates of certificate authorities. Throws UsageError.
 */
export function placeOf(to: string, ca: string | undefined): Place {
  if (to.startsWith("/")) return { socketPath: to, host: "localhost" };
  const text = to.replace(/^https?:\/\//, "");
  const found = /^(.*):(\d+)\/?$/.exec(text);
  if (found === null) throw new UsageError(`--to: ${to} is no host:port`);
  const place = { host: found[1].replace(/^\[(.*)\]$/, "$1"), port: Number(found[2]) };
  if (place.port > 65_535) throw new UsageError(`--to: ${to} has no port that there is`);
  if (to.startsWith("https:")) return { ...place, isTls: true, ...(ca === undefined ? {} : { ca: authorities(ca) }) };
  if (ca !== undefined) throw new UsageError("--ca: needs --to https://host:port");
  return place;
}

/**
 * Reads the file of certificate authorities. Throws UsageError for a file without certificates, because Node would
 * silently ignore such a file.
 */
function authorities(file: string): Buffer {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    throw new UsageError(`--ca: ${(error as Error).message}`);
  }
  try {
    new X509Certificate(bytes);
  } catch {
    throw new UsageError(`--ca: ${file} is no certificate in PEM`);
  }
  return bytes;
}

/**
 * Returns the address for requests to a service of this machine, given the address on which the service listens. The
 * TLS certificate of the service is accepted even if it names no address of this machine.
 */
export function localPlace(address: ListenAddress, isTls: boolean): Place {
  if ("path" in address) return { socketPath: address.path, host: "localhost" };
  const own: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" };
  const place = { host: own[address.host] ?? address.host, port: address.port };
  return isTls ? { ...place, isTls: true, rejectUnauthorized: false } : place;
}

export interface PlaceCall {
  readonly path: string;
  readonly method?: "GET" | "POST";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal | undefined;
  /** Longest time in milliseconds to wait for the first byte of the answer, and for each further byte. */
  readonly timeoutMs?: number;
}

export interface PlaceAnswer {
  readonly status: number;
  readonly text: string;
}

/**
 * Sends a GET request and returns the body of the answer. Rejects when there is no answer, or when its status is not
 * 200.
 */
export async function askPlace(place: Place, path: string, signal?: AbortSignal): Promise<string> {
  const { status, text } = await callPlace(place, { path, signal });
  if (status !== 200) throw new Error(`status ${status}`);
  return text;
}

/** Sends a request and returns the answer, whatever its status. Rejects when there is no answer. */
export function callPlace(place: Place, sent: PlaceCall): Promise<PlaceAnswer> {
  const { path, method = "GET", headers = {}, body, signal, timeoutMs: timeout = answerMs } = sent;
  return new Promise((resolve, reject) => {
    const ask = "isTls" in place ? requestSecurely : request;
    const call = ask({ ...place, path, method, headers, agent: false, timeout, signal }, (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on("data", (chunk: Buffer) => {
        size += chunk.length;
        if (size > maxAnswerBytes) call.destroy(new Error("the answer is too large"));
        chunks.push(chunk);
      });
      response.on("error", reject);
      response.on("end", () => {
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() });
      });
    });
    call.on("timeout", () => call.destroy(new Error(`nothing within ${timeout / 1000} s`)));
    call.on("error", (error: NodeJS.ErrnoException) => reject(new Error(reasonOf(error, place), { cause: error })));
    call.end(body);
  });
}

/**
 * Returns the reason why a request failed. For TLS errors, the text also names the option or the URL scheme that
 * the user should change, because the messages of OpenSSL do not say this.
 */
function reasonOf({ code = "", message }: NodeJS.ErrnoException, place: Place): string {
  const isTls = "isTls" in place;
  if (isTls && message.includes("wrong version number"))
    return "it speaks no TLS there; http:// in place of https:// may help";
  if (isTls && /SELF_SIGNED|UNABLE_TO_(?:GET|VERIFY)/.test(code))
    return `${message}: the certificate is not of a known authority; --ca FILE names that which signed it`;
  // An agent that listens with TLS closes the connection of a plain HTTP request. So the error codes that are checked
  // here probably mean that the address should begin with `https://`.
  if (!isTls && "port" in place && (code === "ECONNRESET" || code.startsWith("HPE_")))
    return `${message}; if it speaks TLS there, https:// in place of http:// helps`;
  return message;
}

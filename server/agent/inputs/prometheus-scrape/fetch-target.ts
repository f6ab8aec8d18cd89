// Fetches the metrics of a Prometheus target. Does not follow redirects, and limits the size of the answer before and
// after decompression.

import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import http from "node:http";
import https from "node:https";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { durationMs } from "../../../config/go-duration.ts";
import type { PrometheusSettings } from "../../../config/settings/inputs-prometheus.ts";

export interface TargetText {
  readonly body: Buffer;
  readonly isOpenMetrics: boolean;
}

export interface TargetClient {
  /**
   * Resolves with the metrics text of the target. Rejects with an error that says why the text could not be fetched.
   */
  fetch(url: string, closing?: AbortSignal): Promise<TargetText>;
  close(): void;
}

const accept = "application/openmetrics-text;version=1.0.0;q=0.9,text/plain;version=0.0.4;q=0.7,*/*;q=0.1";

/** Opens an HTTP client with the TLS files of an entry of the configuration. Throws when a file cannot be used. */
export function openTargetClient(settings: PrometheusSettings): TargetClient {
  const { tls_ca: ca, tls_cert: cert, tls_key: key } = settings;
  const plain = new http.Agent({ keepAlive: true });
  const secure = new https.Agent({
    keepAlive: true,
    rejectUnauthorized: !settings.insecure_skip_verify,
    ...(ca === "" ? {} : { ca: readFileSync(ca) }),
    ...(cert === "" ? {} : { cert: readFileSync(cert), key: readFileSync(key) }),
  });
  return {
    fetch: async (url, closing) => {
      const timeout = AbortSignal.timeout(durationMs(settings.timeout, 10_000));
      const signal = closing === undefined ? timeout : AbortSignal.any([closing, timeout]);
      try {
        return await fetchText(url, settings, { plain, secure, signal });
      } catch (error) {
        if (timeout.aborted) throw new Error(`no whole answer within ${settings.timeout} (timeout)`);
        throw error;
      }
    },
    close: () => {
      plain.destroy();
      secure.destroy();
    },
  };
}

async function fetchText(
  url: string,
  settings: PrometheusSettings,
  { plain, secure, signal }: { readonly plain: http.Agent; readonly secure: https.Agent; readonly signal: AbortSignal },
): Promise<TargetText> {
  const headers = { accept, "accept-encoding": "gzip", ...(await authorization(settings)) };
  const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
    const request = url.startsWith("https:")
      ? https.get(url, { headers, signal, agent: secure }, resolve)
      : http.get(url, { headers, signal, agent: plain }, resolve);
    request.on("error", reject);
  });
  try {
    const status = response.statusCode ?? 0;
    if (status >= 300 && status < 400) throw new Error(`status ${status}: redirects are not followed`);
    if (status !== 200) throw new Error(`status ${status}`);
    const most = settings.max_body_bytes;
    const sent = await bytesOf(response, most);
    const encoding = response.headers["content-encoding"] ?? "";
    if (encoding !== "" && encoding !== "gzip" && encoding !== "identity")
      throw new Error("the answer has a compression that was not asked for");
    return {
      body: encoding === "gzip" ? await decompressed(sent, most) : sent,
      isOpenMetrics: /^application\/openmetrics-text\b/i.test(response.headers["content-type"] ?? ""),
    };
  } catch (error) {
    response.destroy();
    throw error;
  }
}

async function bytesOf(response: http.IncomingMessage, most: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response) {
    length += (chunk as Buffer).length;
    if (length > most) throw tooLarge(most);
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}

async function decompressed(sent: Buffer, most: number): Promise<Buffer> {
  try {
    return await promisify(gunzip)(sent, { maxOutputLength: most });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") throw tooLarge(most);
    throw new Error("the answer cannot be decompressed");
  }
}

const tooLarge = (most: number) => new Error(`the answer is longer than ${most} bytes (max_body_bytes)`);

/**
 * Returns the header with the credentials. Reads the files with the secrets for each request, because these files may
 * be replaced.
 */
async function authorization({ username, password_file, bearer_token_file }: PrometheusSettings) {
  if (bearer_token_file !== "") return { authorization: `Bearer ${await secretIn(bearer_token_file)}` };
  if (username === "") return {};
  const password = password_file === "" ? "" : await secretIn(password_file);
  return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}` };
}

async function secretIn(file: string): Promise<string> {
  const text = (await readFile(file, "utf8")).trim();
  // When a header contains an invalid character, the error message of Node.js could show the secret. So the
  // characters of the secret are checked before it is put into a header.
  if (!/^[\x20-\x7e]*$/.test(text)) throw new Error(`${file} does not hold a secret of printable characters`);
  return text;
}

// Sends the body of a write to an agent, a gateway or a platform.

import { UsageError } from "./usage-error.ts";

const longestWaitSeconds = 60;
const attempts = 10;

/** Parses the URL of the agent, gateway or platform to which points are sent. Throws UsageError. */
export function destinationOf(text: string): URL {
  if (!URL.canParse(text) || !/^https?:/.test(text))
    throw new UsageError(`${text} is no URL such as http://localhost:9529`);
  return new URL(text);
}

/**
 * Sends a request body to the server. When the server asks the client to wait, waits and then sends the body
 * again.
 */
export async function postBody(url: URL, body: Uint8Array<ArrayBuffer>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    let answer: Response;
    try {
      answer = await fetch(url, { method: "POST", body });
    } catch (error) {
      const { cause, message } = error as Error;
      throw new UsageError(`${url.origin}: ${cause instanceof Error ? cause.message : message}`);
    }
    const text = await answer.text();
    if (answer.ok) return;
    if ((answer.status !== 429 && answer.status !== 503) || attempt === attempts) {
      throw new UsageError(`${url.origin}${url.pathname}: ${answer.status} ${text}`.trimEnd());
    }
    const asked = Number(answer.headers.get("retry-after") ?? 1);
    const seconds = Math.min(Number.isFinite(asked) ? Math.max(asked, 1) : 1, longestWaitSeconds);
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  }
}

// Parses User-Agent headers and compares the results with user-agent.jsonl, one header for each line.

import { describe, expect, it } from "vitest";
import { parseUserAgent, type UserAgent } from "../../../../../lib/pipeline/functions/text/user-agent-text.ts";
import table from "./user-agent.jsonl?raw";

const cases = table
  .split("\n")
  .filter((line) => line !== "")
  .map((line) => JSON.parse(line) as UserAgent & { header: string });

describe("user_agent", () => {
  it.each(cases)("$header", ({ header, ...expected }) => {
    expect(parseUserAgent(header)).toEqual(expected);
  });

  it("recognizes a browser that names two crawlers as a link preview", () => {
    const header =
      "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_11_1) AppleWebKit/601.2.4 (KHTML, like Gecko) Version/9.0.1 Safari/601.2.4 facebookexternalhit/1.1 Facebot Twitterbot/1.0";
    expect(parseUserAgent(header)).toMatchObject({ isBot: true, browser: "iMessage-Preview", engine: "" });
  });

  it("recognizes a mobile crawler as a bot although it also names a browser", () => {
    const header =
      "Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/41.0.2272.96 Mobile Safari/537.36 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";
    expect(parseUserAgent(header)).toMatchObject({ isBot: true, browser: "Googlebot", browserVersion: "2.1", os: "" });
  });

  it("reads parentheses that are never closed", () => {
    expect(parseUserAgent("Mozilla/5.0 (X11; (a").platform).toBe("X11");
  });
});

// The function user_agent: finds device, operating system, browser and engine in a User-Agent header
// (docs/reference/functions.md#user_agent).

import { Key } from "../../../point/view.ts";
import { writeKey } from "../../runtime/point-access.ts";
import { toText } from "../../runtime/to-text.ts";
import { VOID } from "../../runtime/value.ts";
import { type Declaration, declare } from "../declare.ts";
import { parseUserAgent, type UserAgent } from "./user-agent-text.ts";

const KEYS: readonly (readonly [Key, keyof UserAgent])[] = [
  [new Key("isMobile"), "isMobile"],
  [new Key("isBot"), "isBot"],
  [new Key("os"), "os"],
  [new Key("browser"), "browser"],
  [new Key("browserVer"), "browserVersion"],
  [new Key("engine"), "engine"],
  [new Key("engineVer"), "engineVersion"],
  [new Key("ua"), "platform"],
];

export const userAgent = declare({
  name: "user_agent",
  summary: "Writes isMobile, isBot, os, browser, browserVer, engine, engineVer and ua of a User-Agent header.",
  params: [{ name: "key", type: "key", summary: "the key that holds the header" }],
  style: "positional",
  arity: { min: 1, max: 1, tooFew: "func `user_agent' expects 1 args" },
  examples: [
    {
      script: "user_agent(_)",
      input: "curl/7.68.0",
      gives: {
        isMobile: false,
        isBot: false,
        os: "",
        browser: "curl",
        browserVer: "7.68.0",
        engine: "",
        engineVer: "",
        ua: "",
      },
    },
  ],
  bind(call) {
    const { read } = call.key(0);
    return (run) => {
      const value = read(run);
      if (value === undefined) return VOID;
      const text = toText(value, run.memory);
      const agent = parseUserAgent(text);
      for (const [key, part] of KEYS) writeKey(run, key, agent[part]);
      return VOID;
    };
  },
});

export const userAgentFunctions: readonly Declaration[] = [userAgent];

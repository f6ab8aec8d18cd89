// The formats that strings in the configuration must have. A string in a wrong format is reported with its line, and
// the service does not start.

import { accessSync, constants, statSync } from "node:fs";
import path from "node:path";
import { parseListenAddress } from "./listen-address.ts";
import { parseNetworks } from "./networks.ts";

export interface Form {
  /** The description of the format. An error message contains `must be` followed by this description. */
  readonly text: string;
  fits(text: string): boolean;
  /**
   * Returns a hint for the user about a text in a wrong format, or an empty string when there is no hint. The hint
   * is added to the error message.
   */
  hint?(text: string): string;
}

export const plainText: Form = {
  text: "a text without control characters",
  // The checked text may end with a newline, because a secret that was read from a file often does.
  fits: (text) => !/\p{Cc}/u.test(text.trim()),
};

const isParsed =
  (parse: (text: string) => unknown) =>
  (text: string): boolean => {
    try {
      parse(text);
      return true;
    } catch {
      return false;
    }
  };

export const listenAddress: Form = {
  text: "host:port, the host localhost or an IP address, or an absolute path",
  fits: isParsed(parseListenAddress),
};

export const absolutePath: Form = {
  text: "an absolute path",
  fits: path.isAbsolute,
};

export const network: Form = {
  text: "a network such as 10.0.0.0/8, or an IP address",
  fits: isParsed((text) => parseNetworks([text])),
};

export const proxyNetwork: Form = {
  text: "a network such as 10.0.0.0/8, an IP address, or unix",
  fits: (text) => text === "unix" || network.fits(text),
};

export const httpUrl: Form = {
  text: "a URL such as http://host:port",
  fits: (text) => isUrlOf(text, /^https?:$/),
};

export const clickhouseUrl: Form = {
  text: "a URL such as clickhouse://user:password@host:8123/database",
  fits: (text) => isUrlOf(text, /^clickhouses?:$/) && !/\/./.test(new URL(text).pathname.slice(1)),
};

export const metadataUrl: Form = {
  text: "a URL such as postgres://user:password@host/name, or memory:",
  fits: (text) => text === "memory:" || /^postgres(?:ql)?:\/\//.test(text),
};

export const memorySize: Form = {
  text: "a size such as 512MB, above zero",
  fits: (text) => /^\s*[0-9]+(?:\.[0-9]+)?\s*(?:[KMGT]i?)?B\s*$/i.test(text) && Number.parseFloat(text) > 0,
};

export const workspaceToken: Form = {
  text: "a token of 8 to 128 letters, digits, - and _",
  fits: (text) => /^[A-Za-z0-9_-]{8,128}$/.test(text),
};

export const apiPath: Form = {
  text: "a path such as /v1/query/raw or /v1/*",
  fits: (text) => /^[\x21-\x7e]+$/.test(text) && !text.includes("://"),
};

export const origin: Form = {
  text: "an origin such as https://example.com, without a path",
  fits: (text) => text === "*" || text === "null" || /^[a-z][a-z0-9+.-]*:\/\/[^/?#\s]+$/i.test(text),
};

/**
 * The format of an origin that can be part of a Content-Security-Policy: without a wildcard, and without
 * characters that would end the origin inside the policy.
 */
export const plainOrigin: Form = {
  text: "an origin such as http://10.0.0.5:9529, without a path",
  fits: (text) => /^https?:\/\/(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i.test(text),
};

export const hostName: Form = {
  text: "a host name such as example.com, without http:// and path",
  fits: (text) => /^[^\s/?#@\p{Cc}]+$/u.test(text),
};

export const headerName: Form = {
  text: "the name of a header, such as X-Forwarded-For",
  fits: (text) => /^[\w!#$%&'*+.^`|~-]+$/.test(text),
};

export const readableFile: Form = {
  text: "a file that can be read",
  fits: isParsed((text) => {
    accessSync(text, constants.R_OK);
    if (statSync(text).isDirectory()) throw new Error("a folder");
  }),
};

function isUrlOf(text: string, scheme: RegExp): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, host } = new URL(text);
  return scheme.test(protocol) && host !== "";
}

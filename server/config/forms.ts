// The forms that texts of the configuration have to have: what does not fit is a mistake that is told with its line, before anything
// starts.

import { accessSync, constants } from "node:fs";
import path from "node:path";
import { parseListenAddress } from "./listen-address.ts";
import { parseNetworks } from "./networks.ts";

export interface Form {
  /** What such a text is, for messages: `must be ...`. */
  readonly text: string;
  fits(text: string): boolean;
}

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

export const readableFile: Form = {
  text: "a file that can be read",
  fits: isParsed((text) => accessSync(text, constants.R_OK)),
};

function isUrlOf(text: string, scheme: RegExp): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, host } = new URL(text);
  return scheme.test(protocol) && host !== "";
}

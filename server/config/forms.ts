// The forms that texts of the configuration have to have: what does not fit is a mistake that is told with its line, before anything
// starts.

import { isAbsolute } from "node:path";
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

export const network: Form = {
  text: "a network such as 10.0.0.0/8, or an IP address",
  fits: isParsed((text) => parseNetworks([text])),
};

export const httpUrl: Form = {
  text: "a URL such as http://host:port",
  fits: (text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol),
};

export const absolutePath: Form = { text: "an absolute path", fits: isAbsolute };

// The function geoip: finds the geographic place of an IP address (docs/reference/functions.md#geoip). The program that
// uses the library provides the database as a look-up function.

import { Key } from "../../../point/view.ts";
import { writeKey } from "../../runtime/point-access.ts";
import { toText } from "../../runtime/to-text.ts";
import { VOID } from "../../runtime/value.ts";
import { type Declaration, declare } from "../declare.ts";
import { parseAddress } from "./network.ts";

const PARTS = ["city", "province", "country", "isp"] as const;
const KEYS = PARTS.map((part) => ({ part, key: new Key(part) }));

export const geoip = declare({
  name: "geoip",
  summary: "Writes city, province, country (two letters) and isp of an IP address, as far as the database knows them.",
  params: [{ name: "ip", type: "key", summary: "the key that holds the address, IPv4 or IPv6" }],
  style: "positional",
  arity: { min: 1, max: 1, tooFew: "func `geoip' expected 1 args" },
  examples: [
    {
      script: `json(_, ip); geoip(ip)`,
      input: `{"ip": "192.0.2.7"}`,
      gives: { ip: "192.0.2.7", city: "Kyoto", country: "JP" },
    },
    { script: `geoip(_)`, input: "no address", gives: {} },
  ],
  bind(call) {
    const { read } = call.key(0);
    return (run) => {
      const value = read(run);
      const { geoip: lookup } = run.host;
      if (value === undefined || lookup === undefined) return VOID;
      const address = toText(value, run.memory);
      if (parseAddress(address) === undefined) return VOID;
      const place = lookup(address);
      for (const { part, key } of KEYS) {
        const known = place?.[part];
        if (known !== undefined && known !== "") writeKey(run, key, known);
      }
      return VOID;
    };
  },
});

export const geoFunctions: readonly Declaration[] = [geoip];

// A table of networks in CIDR notation as the database of the function geoip: how the table is parsed, and which of
// several matching networks is used.

import { describe, expect, it } from "vitest";
import { CidrTableError, cidrLookup, parseCidrTable } from "../../../../../lib/pipeline/functions/lookup/cidr-table.ts";

const csv = `cidr,country,province,city,isp
1.2.3.0/24,AU,Queensland,Brisbane,
1.2.0.0/16,AU,,,"Net, ""the"" first"
1.2.3.4,AU,Victoria,Melbourne,one
2001:db8::/32,JP,,Kyoto,
2001:db8:1::/48,JP,,Osaka,
`;

describe("a table of networks", () => {
  const lookup = cidrLookup(parseCidrTable(csv));

  it.each([
    ["1.2.3.9", { country: "AU", province: "Queensland", city: "Brisbane", isp: "" }],
    ["1.2.3.4", { country: "AU", province: "Victoria", city: "Melbourne", isp: "one" }],
    ["1.2.9.9", { country: "AU", province: "", city: "", isp: 'Net, "the" first' }],
    ["2001:db8:1::5", { country: "JP", province: "", city: "Osaka", isp: "" }],
    ["2001:db8:2::5", { country: "JP", province: "", city: "Kyoto", isp: "" }],
    ["9.9.9.9", null],
    ["::ffff:1.2.3.4", null],
    ["1.2.3.4-x", null],
  ])("returns for %s the row with the longest prefix: %o", (ip, place) => {
    expect(lookup(ip)).toEqual(place);
  });

  it("may be JSON, or CSV without a header or with another column order", () => {
    const row = { cidr: "10.0.0.0/8", country: "XX", province: "", city: "c", isp: "i" };
    expect(parseCidrTable('[{"cidr":"10.0.0.0/8","country":"XX","city":"c","isp":"i"}]')).toEqual([row]);
    expect(parseCidrTable("10.0.0.0/8,XX,,c,i\r\n")).toEqual([row]);
    expect(parseCidrTable("isp,city,CIDR,country\ni,c,10.0.0.0/8,XX")).toEqual([row]);
  });

  it("uses the first of two equal networks, and matches every IPv4 address with the prefix length 0", () => {
    const both = cidrLookup([
      { cidr: "0.0.0.0/0", country: "A" },
      { cidr: "0.0.0.0/0", country: "B" },
    ]);
    expect(both("8.8.8.8")).toEqual({ country: "A" });
    expect(both("::1")).toBeNull();
  });

  it.each([
    ["1.2.3.0/33,AU", /row 1: "1.2.3.0\/33" is no network/],
    ["1.2.3.0/24,AU\nx/8,B", /row 2: "x\/8" is no network/],
    [",AU", /row 1: no cidr/],
    ['[{"cidr":5}]', /row 1: cidr must be a text/],
    ["[5]", /row 1: must be an object/],
    ["[", /JSON/],
  ])("%j is refused", (text, reason) => {
    const build = () => cidrLookup(parseCidrTable(text));
    expect(build).toThrow(CidrTableError);
    expect(build).toThrow(reason);
  });
});

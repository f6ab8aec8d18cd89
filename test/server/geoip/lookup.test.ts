// The script function `geoip` with the database of IP addresses that is installed with the server.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { createGeoip } from "../../../server/geoip/lookup.ts";
import { mmdbFile } from "../support/mmdb-file.ts";

describe("the installed database", () => {
  const lookup = createGeoip({ places: "", providers: "" });

  it("finds the countries of IPv4 and IPv6 addresses", () => {
    expect(lookup("1.1.1.1")?.country).toBe("AU");
    expect(lookup("8.8.8.8")?.country).toBe("US");
    expect(lookup("2001:4860:4860::8888")?.country).toBe("US");
  });

  it("returns null for private addresses", () => {
    expect(lookup("10.0.0.1")).toBeNull();
  });
});

describe("the user's own files", () => {
  it("can be a city database and a provider database", () => {
    const folder = mkdtempSync(path.join(tmpdir(), "geoip-"));
    try {
      const [places, providers] = ["city.mmdb", "isp.mmdb"].map((name) => path.join(folder, name));
      const city = {
        city: { names: { de: "x", en: "Brisbane" } },
        country: { iso_code: "AU" },
        subdivisions: [{ names: { en: "Queensland" } }, { names: { en: "no" } }],
      };
      writeFileSync(places, mmdbFile("1.2.3.0/24", city));
      writeFileSync(providers, mmdbFile("1.2.0.0/16", { isp: "one" }));
      const lookup = createGeoip({ places, providers });
      expect(lookup("1.2.3.4")).toEqual({ country: "AU", province: "Queensland", city: "Brisbane", isp: "one" });
      expect(lookup("1.2.9.4")).toEqual({ isp: "one" });
      expect(lookup("9.9.9.9")).toBeNull();
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it("can be a CSV table of networks", () => {
    const folder = mkdtempSync(path.join(tmpdir(), "geoip-"));
    try {
      const networks = path.join(folder, "networks.csv");
      writeFileSync(networks, "1.2.3.0/24,AU,Queensland,Brisbane,\n");
      const lookup = createGeoip({ networks });
      expect(lookup("1.2.3.4")).toEqual({ country: "AU", province: "Queensland", city: "Brisbane", isp: "" });
      expect(lookup("9.9.9.9")).toBeNull();
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it("are named in the error when they cannot be read", () => {
    expect(() => createGeoip({ places: "/nowhere/city.mmdb", providers: "" })("1.1.1.1")).toThrow(/city\.mmdb/);
  });
});

import { describe, expect, it } from "vitest";
import { parseListenAddress } from "../../../server/config/listen-address.ts";

describe("listen address", () => {
  it.each([
    ["localhost:9529", { host: "127.0.0.1", port: 9529 }],
    ["0.0.0.0:1", { host: "0.0.0.0", port: 1 }],
    ["[::]:9529", { host: "::", port: 9529 }],
    [":9529", { host: "0.0.0.0", port: 9529 }],
    ["/run/agent.sock", { path: "/run/agent.sock" }],
  ])("reads %s", (text, address) => {
    expect(parseListenAddress(text)).toEqual(address);
  });

  it.each(["example.org:80", "9529", "127.0.0.1:99999"])("refuses %s", (text) => {
    expect(() => parseListenAddress(text)).toThrow("listen address");
  });
});

// Names under which clients may save scripts. No accepted name leads out of the folder of the scripts.

import { describe, expect, it } from "vitest";
import { nameFault } from "../../../../server/agent/scripts/script-names.ts";

describe("the name of a script", () => {
  it.each(["nginx.p", "my_app-2.p", "日志.p", "café.p", "a.b.p", "_x.p", "0.p", `${"a".repeat(198)}.p`])(
    "%j is valid",
    (name) => {
      expect(nameFault(name)).toBeUndefined();
    },
  );

  it.each([
    "",
    ".p",
    "..p",
    "../a.p",
    "..\\a.p",
    "a/../../b.p",
    "a/b.p",
    "/etc/cron.d/a.p",
    "C:\\a.p",
    "C:a.p",
    "a\\b.p",
    "%2e%2e%2fa.p",
    "..%2fa.p",
    "a\0.p",
    "a.p\0",
    "a\n.p",
    "a .p",
    " a.p",
    "a.p ",
    ".hidden.p",
    "-x.p",
    "a..p",
    "a..b.p",
    "nginx",
    "nginx.txt",
    "nginx.p.previous",
    "nginx.P",
    "~root.p",
    "$HOME.p",
    "*.p",
    "con.p",
    "NUL.p",
    "com1.p",
    "lpt9.x.p",
    "a\u202egpj.p",
    "\uff0e\uff0e\uff0fa.p",
    "\ud800.p",
    `${"a".repeat(199)}.p`,
    `${"字".repeat(67)}.p`,
  ])("%j is invalid", (name) => {
    expect(nameFault(name)).toMatch(/name/);
  });
});

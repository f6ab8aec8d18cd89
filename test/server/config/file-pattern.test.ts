import { expect, it } from "vitest";
import { anyPattern, parseFilePattern } from "../../../server/config/file-pattern.ts";

it.each<[pattern: string, path: string, matches: boolean]>([
  ["/var/log/a.log", "/var/log/a.log", true],
  ["/var/log/a.log", "/var/log/a.log.1", false],
  ["/var/log/*.log", "/var/log/a.log", true],
  ["/var/log/*.log", "/var/log/sub/a.log", false],
  ["/var/log/*.log", "/var/log/.a.log", false],
  ["/var/log/.*.log", "/var/log/.a.log", true],
  ["/var/*/a.log", "/var/log/a.log", true],
  ["/var/log/a?.log", "/var/log/a1.log", true],
  ["/var/log/a?.log", "/var/log/a.log", false],
  ["/var/log/?.log", "/var/log/中.log", true],
  ["/var/log/a[0-9].log", "/var/log/a7.log", true],
  ["/var/log/a[!0-9].log", "/var/log/a7.log", false],
  ["/var/log/a[!0-9].log", "/var/log/ax.log", true],
  ["/var/log/a[]x].log", "/var/log/a].log", true],
  ["/var/log/{a,b*}.log", "/var/log/bcd.log", true],
  ["/var/log/{a,{b,c}}.log", "/var/log/c.log", true],
  ["/var/log/{a,b}.log", "/var/log/c.log", false],
  ["/var/log/{a.log", "/var/log/{a.log", true],
  ["/var/log/[a.log", "/var/log/[a.log", true],
  ["/var/log/a.b+(c)", "/var/log/a.b+(c)", true],
  ["/var/log/a.b*", "/var/log/axb", false],
  ["/var/log/\\*.log", "/var/log/*.log", true],
  ["/var/log/\\*.log", "/var/log/a.log", false],
  ["/var/**/a.log", "/var/a.log", true],
  ["/var/**/a.log", "/var/x/y/a.log", true],
  ["/var/**/a.log", "/var/.x/a.log", false],
  ["/var/**", "/var/x/y.log", true],
  ["/**/x/**/*.log", "/a/x/b/c.log", true],
  ["/**/x/**/*.log", "/a/b/c.log", false],
  ["/var//log/*", "/var/log/a", true],
])("%s matches %s: %s", (pattern, path, matches) => {
  expect(parseFilePattern(pattern).matches(path)).toBe(matches);
});

it.each<[patterns: readonly string[], path: string, matches: boolean]>([
  [["*.gz"], "/var/log/a.gz", true],
  [["*.gz"], "/var/log/a.log", false],
  [["a.log"], "/var/log/a.log", true],
  [["/var/log/old/*"], "/var/log/old/a.log", true],
  [["/var/log/old/*"], "/var/log/a.log", false],
  [[], "/var/log/a.log", false],
])("%j excludes %s: %s", (patterns, path, matches) => {
  expect(anyPattern(patterns)(path)).toBe(matches);
});

it("needs time linear in the length of the file name, for any pattern", () => {
  const name = `/${"a".repeat(20_000)}`;
  expect(parseFilePattern(`/${"*a".repeat(50)}b`).matches(name)).toBe(false);
  expect(parseFilePattern(`/${"**/".repeat(50)}b`).matches("/a".repeat(2000))).toBe(false);
});

// Scripts saved as files in the folder of their category: the agent replaces a file atomically, can restore the
// previous version, and never writes outside of the folder.

import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { createSavedFiles, type SavedFiles } from "../../../../server/agent/scripts/saved-files.ts";

const nginx = { category: "logging", name: "nginx.p" } as const;
let root: string;
let files: SavedFiles;
const at = (...parts: string[]) => path.join(root, ...parts);
const textAt = (...parts: string[]) => readFileSync(at(...parts), "utf8");

beforeEach(() => {
  const folder = mkdtempSync(path.join(tmpdir(), "millrace-saved-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  root = path.join(folder, "pipeline");
  files = createSavedFiles(root);
});

describe("a saved script", () => {
  it("is a file that only its owner may read, in a folder that only its owner may open", async () => {
    await files.save(nginx, "a");
    expect(textAt("logging", "nginx.p")).toBe("a");
    expect([statSync(at("logging")).mode & 0o777, statSync(at("logging", "nginx.p")).mode & 0o777]).toEqual([
      0o700, 0o600,
    ]);
  });

  it("leaves only its file and the previous version in the folder", async () => {
    await files.save(nginx, "a");
    await files.save(nginx, "b");
    expect(readdirSync(at("logging")).sort()).toEqual(["nginx.p", "nginx.p.previous"]);
    expect(statSync(at("logging", "nginx.p.previous")).mode & 0o777).toBe(0o600);
  });

  it("keeps the permissions of an existing folder", async () => {
    mkdirSync(at("logging"), { recursive: true });
    chmodSync(at("logging"), 0o755);
    await files.save(nginx, "a");
    expect(statSync(at("logging")).mode & 0o777).toBe(0o755);
  });

  it("is read as it was saved, whatever its text", async () => {
    const text = 'add_key(a, "\u0000 \u2028 日本")\r\n# end';
    await files.save(nginx, text);
    expect(await files.read(nginx)).toBe(text);
    expect(await files.read({ category: "metric", name: "nginx.p" })).toBeNull();
  });

  it("of logging is also read from the folder of all scripts", async () => {
    mkdirSync(root, { recursive: true });
    writeFileSync(at("nginx.p"), "old");
    expect(await files.read(nginx)).toBe("old");
    await files.save(nginx, "new");
    expect([textAt("nginx.p"), textAt("logging", "nginx.p"), await files.previous(nginx)]).toEqual([
      "old",
      "new",
      { text: null },
    ]);
  });
});

describe("going back", () => {
  it("restores the previous version, and going back again restores the later one", async () => {
    await files.save(nginx, "a");
    await files.save(nginx, "b");
    expect(await files.previous(nginx)).toEqual({ text: "a" });
    await files.goBack(nginx);
    expect([await files.read(nginx), await files.previous(nginx)]).toEqual(["a", { text: "b" }]);
    await files.goBack(nginx);
    expect([await files.read(nginx), await files.previous(nginx)]).toEqual(["b", { text: "a" }]);
  });

  it("removes the file when there was none before, and going back again restores it", async () => {
    await files.save(nginx, "a");
    expect(await files.previous(nginx)).toEqual({ text: null });
    await files.goBack(nginx);
    expect([await files.read(nginx), await files.previous(nginx)]).toEqual([null, { text: "a" }]);
    expect(readdirSync(at("logging"))).toEqual(["nginx.p.previous"]);
    await files.goBack(nginx);
    expect([await files.read(nginx), await files.previous(nginx)]).toEqual(["a", { text: null }]);
  });

  it("removes the file when the new script was saved in place of a removed one", async () => {
    await files.save(nginx, "a");
    await files.goBack(nginx);
    await files.save(nginx, "c");
    expect(await files.previous(nginx)).toEqual({ text: null });
  });

  it("restores the earlier version although the same text was saved twice", async () => {
    await files.save(nginx, "a");
    await files.save(nginx, "b");
    await files.save(nginx, "b");
    expect(await files.previous(nginx)).toEqual({ text: "a" });
  });

  it("is refused for a script that was never saved", async () => {
    mkdirSync(at("logging"), { recursive: true });
    writeFileSync(at("logging", "nginx.p"), "by hand");
    expect(await files.previous(nginx)).toBeUndefined();
    await expect(files.goBack(nginx)).rejects.toThrow("no version to go back to");
    expect(textAt("logging", "nginx.p")).toBe("by hand");
  });
});

describe("a link", () => {
  it.each([
    ["to a file outside", (target: string) => symlinkSync(target, at("logging", "nginx.p"))],
    ["to nothing", () => symlinkSync("/nowhere/at/all", at("logging", "nginx.p"))],
  ])("%s in place of a script is neither followed nor replaced", async (_name, link) => {
    mkdirSync(at("logging"), { recursive: true });
    const outside = path.join(root, "..", "secret");
    writeFileSync(outside, "secret");
    link(outside);
    await expect(files.save(nginx, "a")).rejects.toThrow("nginx.p is no plain file");
    await expect(files.read(nginx)).rejects.toThrow("nginx.p is no plain file");
    await expect(files.goBack(nginx)).rejects.toThrow(/no version|no plain file/);
    expect([readFileSync(outside, "utf8"), lstatSync(at("logging", "nginx.p")).isSymbolicLink()]).toEqual([
      "secret",
      true,
    ]);
  });

  it.each(["nginx.p.previous", "nginx.p.absent"])("in place of %s is not followed", async (name) => {
    await files.save(nginx, "a");
    const outside = path.join(root, "..", "secret");
    writeFileSync(outside, "secret");
    rmSync(at("logging", name), { force: true });
    symlinkSync(outside, at("logging", name));
    await files.save(nginx, "b");
    await files.goBack(nginx).catch(() => {});
    expect(readFileSync(outside, "utf8")).toBe("secret");
  });

  it("in place of the folder of a category is not followed", async () => {
    const outside = path.join(root, "..", "outside");
    mkdirSync(outside);
    mkdirSync(root);
    symlinkSync(outside, at("logging"));
    await expect(files.save(nginx, "a")).rejects.toThrow("the folder logging is a symbolic link");
    expect(existsSync(path.join(outside, "nginx.p"))).toBe(false);
  });

  it("in place of the folder of all scripts is followed", async () => {
    const outside = path.join(root, "..", "outside");
    mkdirSync(outside);
    symlinkSync(outside, root);
    await files.save(nginx, "a");
    expect(readFileSync(path.join(outside, "logging", "nginx.p"), "utf8")).toBe("a");
  });
});

it("throws the system's error and keeps the file when the folder cannot be written", async () => {
  mkdirSync(root, { recursive: true });
  writeFileSync(at("metric"), "no folder");
  await expect(files.save({ category: "metric", name: "a.p" }, "a")).rejects.toThrow(/EEXIST|ENOTDIR/);
  expect(textAt("metric")).toBe("no folder");
});

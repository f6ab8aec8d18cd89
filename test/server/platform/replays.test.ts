// Session replays (recorded browser sessions) stored as files by the platform, tested without HTTP.

import { existsSync, mkdirSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import type { ReplayUpload } from "../../../server/platform/open-api/replay-parts.ts";
import { openReplays, TooManyReplays } from "../../../server/platform/replays.ts";
import { folder } from "../support/running-platform.ts";

const upload = (session: string, id = ""): ReplayUpload => ({
  id,
  session,
  contentType: "multipart/form-data; boundary=b",
  values: { session_id: session },
  body: Buffer.from("a\nb"),
});

it("replays are kept over a restart, and still count against the size limit", async () => {
  const at = folder();
  const first = await openReplays(at, 1000);
  await first.put("w", upload("s", "1"));
  const bytes = (await first.sessions("w"))[0]!.bytes;
  mkdirSync(path.join(at, "w", "t"));
  const torn = path.join(at, "w", "t", `${"0".repeat(32)}.x.tmp`);
  writeFileSync(torn, "half");
  const again = await openReplays(at, 2 * bytes);
  expect(existsSync(torn)).toBe(false);
  await again.put("w", upload("s", "1"));
  await again.put("w", upload("s", "2"));
  await expect(again.put("w", upload("s", "3"))).rejects.toThrow(TooManyReplays);
  const [part] = await again.parts("w", "s");
  expect(await again.part("w", "s", part!.uuid)).toMatchObject({
    values: { session_id: "s" },
    body: Buffer.from("a\nb").toString("base64"),
  });
  expect(await again.sessions("other")).toEqual([]);
});

it("replays are deleted after their retention time, which makes room", async () => {
  const at = folder();
  const replays = await openReplays(at, 200);
  await replays.put("w", upload("old", "1"));
  await replays.put("w", upload("new", "2"));
  const [old] = await replays.parts("w", "old");
  utimesSync(path.join(at, "w", "old", old!.uuid), 1, 1);
  await expect(replays.put("w", upload("next", "3"))).rejects.toThrow(TooManyReplays);
  expect(await replays.expire(2000)).toBe(1);
  expect((await replays.sessions("w")).map(({ session }) => session)).toEqual(["new"]);
  await replays.put("w", upload("next", "3"));
});

// The files that are open for reading. Finds the files that the patterns match, opens new ones, and finds files that
// were renamed while no agent ran. A file is identified by its device and inode number. So a file is open only once,
// even when several links or patterns lead to it; it is read for the first entry of the configuration whose pattern
// matches it.

import type { FileHandle } from "node:fs/promises";
import { readdir, realpath, stat } from "node:fs/promises";
import path from "node:path";
import type { FetchingAgent, InputHost } from "../input.ts";
import { findFiles } from "./find-files.ts";
import { type Fingerprint, fingerprintOf, hasFingerprint } from "./fingerprint.ts";
import type { TailGauges } from "./gauges.ts";
import type { FileKey, Position, Positions } from "./positions.ts";
import type { Source } from "./source.ts";
import type { Place } from "./split-events.ts";
import { keyOf, openFile, stateOf, TailedFile } from "./tailed-file.ts";

export interface OpenFilesOptions {
  readonly sources: readonly Source[];
  readonly agent: Pick<FetchingAgent, "log" | "metrics">;
  readonly positions: Positions;
  /** Files that the agent before the reload has left open. The constructor takes over all of them. */
  readonly kept: InputHost["keptFiles"];
  readonly gauges: TailGauges;
  /** Schedules a file to be read, because it is new or has changed. */
  readonly wake: (file: TailedFile) => void;
  /** Returns the time of a monotonic clock in milliseconds. */
  readonly now: () => number;
}

interface Begun {
  readonly place: Place;
  readonly fingerprint: Fingerprint;
}

export class OpenFiles {
  private readonly options: OpenFilesOptions;
  private readonly files = new Map<FileKey, TailedFile>();
  /** Files that the agent before the reload has left open and that no scan has found yet. */
  private readonly left: Map<FileKey, FileHandle>;
  /**
   * Open files, by each path that a scan has found. A file that was found through a symbolic link is also listed by its
   * own path.
   */
  private byPath = new Map<string, TailedFile>();
  /** The target of each symbolic link, by the path of the link. */
  private readonly linked = new Map<string, string>();
  /**
   * Paths that existed when their pattern was new, but could not be read. Reading such a file later begins where the
   * setting `from` says, as for all files that existed at that time.
   */
  private readonly unreadAtFirst = new Set<string>();
  private isFirstLook = true;

  constructor(options: OpenFilesOptions) {
    this.options = options;
    this.left = new Map(options.kept);
    options.kept.clear();
  }

  all(): IterableIterator<TailedFile> {
    return this.files.values();
  }

  at(path: string): TailedFile | undefined {
    return this.byPath.get(path);
  }

  /**
   * Scans for files once. Opens new files, schedules changed files to be read, and marks the files that no path leads
   * to any more. Returns the folders in which files may appear or change.
   */
  async look(isClosing: () => boolean): Promise<ReadonlySet<string>> {
    const { sources, positions } = this.options;
    const found = new Map<string, TailedFile>();
    const folders = new Set<string>();
    for (const source of sources) {
      for (const pattern of source.patterns) {
        const { paths, folders: looked, problems, isCut } = await findFiles(pattern, source.isExcluded);
        const limit = isCut ? "more files than one pattern may name; the others are not read" : undefined;
        this.options.gauges.problem(source, pattern.text, limit);
        for (const { path, code } of problems) this.options.gauges.problem(source, path, `cannot be read: ${code}`);
        for (const folder of looked) folders.add(folder);
        for (const path of paths) {
          if (isClosing()) return folders;
          await this.lookAt(source, path, !positions.wasWatched(pattern.text), found);
        }
      }
    }
    this.byPath = found;
    for (const at of found.keys()) folders.add(path.dirname(at));
    this.noteDetached(new Set(found.values()));
    if (this.isFirstLook) {
      await this.takeKept();
      await this.findRenamed();
      positions.expire((key) => this.files.has(key));
      await positions.watch(sources.flatMap(({ patterns }) => patterns.map(({ text }) => text)));
    }
    this.isFirstLook = false;
    return folders;
  }

  /** Closes a file that was read to its end. Removes its saved position when the file is deleted. */
  async close(file: TailedFile): Promise<void> {
    file.isClosed = true;
    this.files.delete(file.key);
    for (const [path, each] of this.byPath) if (each === file) this.byPath.delete(path);
    await file.handle.close().catch(() => {});
    if (file.isDeleted) await this.options.positions.forget(file.key);
  }

  /** Closes all files. With `isReload`, leaves them open for the agent of the next configuration. */
  async closeAll(isReload: boolean): Promise<void> {
    for (const { key, handle } of this.files.values()) this.left.set(key, handle);
    for (const [key, handle] of this.left) {
      if (isReload) this.options.kept.set(key, handle);
      else await handle.close().catch(() => {});
    }
    this.files.clear();
    this.left.clear();
  }

  private async lookAt(source: Source, at: string, isNew: boolean, found: Map<string, TailedFile>): Promise<void> {
    const { gauges, wake } = this.options;
    try {
      const status = await stat(at, { bigint: true });
      if (!status.isFile()) return;
      let file = this.files.get(keyOf(status));
      if (file === undefined) file = await this.open(source, at, isNew);
      else if (file.note(Number(status.size))) wake(file);
      gauges.problem(source, at, undefined);
      if (file === undefined) return;
      found.set(at, file);
      const target = await this.targetOf(at, file);
      if (target !== at) found.set(target, file);
      this.byPath.set(at, file);
      this.byPath.set(target, file);
    } catch (error) {
      const { code = "", message } = error as NodeJS.ErrnoException;
      const isGone = code === "ENOENT" || code === "ENOTDIR";
      gauges.problem(source, at, isGone ? undefined : `cannot be read: ${code || message}`);
      if (!isGone && isNew) this.unreadAtFirst.add(at);
    }
  }

  /** Returns the target when the path `at` is a symbolic link; otherwise returns `at`. */
  private async targetOf(at: string, file: TailedFile): Promise<string> {
    if (this.byPath.get(at) !== file) this.linked.set(at, await realpath(at));
    return this.linked.get(at) ?? at;
  }

  /** Opens a file. Returns undefined when the path no longer names a regular file. */
  private async open(source: Source, at: string, isNew: boolean): Promise<TailedFile | undefined> {
    const { positions, wake } = this.options;
    const handle = await openFile(at);
    if (handle === undefined) return undefined;
    try {
      const { key, size } = await stateOf(handle);
      const known = this.files.get(key);
      if (known !== undefined) {
        await handle.close();
        return known;
      }
      const wasUnread = this.unreadAtFirst.delete(at);
      const begun = await this.begin(handle, { source, at, key, size, isNew: isNew || wasUnread });
      const file = this.add(handle, key, at, source, begun);
      file.note(size);
      // The position is saved before the first byte is read, for two reasons. Reading may begin at the current end of
      // the file, and only now is this end known. And only a saved position helps to find the file again when it is
      // renamed while no agent runs.
      if (positions.of(key)?.fingerprint !== begun.fingerprint) await positions.save(file.position);
      wake(file);
      return file;
    } catch (error) {
      await handle.close().catch(() => {});
      throw error;
    }
  }

  /**
   * Returns where reading begins. When the file still begins with the same bytes, returns the saved position. (Other
   * bytes show that the file was written again, or that the system has reused its inode number.) Otherwise returns the
   * start of the file, or its end when the pattern is new and the setting `from` is `end`.
   */
  private async begin(
    handle: FileHandle,
    { source, at, key, size, isNew }: { source: Source; at: string; key: FileKey; size: number; isNew: boolean },
  ): Promise<Begun> {
    const { positions } = this.options;
    const position = positions.of(key) ?? (this.isFirstLook ? this.onOtherDevice(key, at) : undefined);
    if (position !== undefined && (await isSameFile(handle, size, position))) {
      if (position.key !== key) await positions.forget(position.key);
      return position;
    }
    const fingerprint = await fingerprintOf(handle);
    const isAtEnd = isNew && source.settings.from === "end" && position?.path !== at;
    const end = size - (size % source.encoding.width);
    return { place: { offset: isAtEnd ? end : 0, dropping: "" }, fingerprint };
  }

  /**
   * Returns the saved position of a file with the same path and inode number but another device number. The number of a
   * device may change when the machine restarts.
   */
  private onOtherDevice(key: FileKey, at: string): Position | undefined {
    const inode = key.slice(key.indexOf(":"));
    return this.options.positions.all().find((each) => each.path === at && each.key.endsWith(inode));
  }

  private add(handle: FileHandle, key: FileKey, path: string, source: Source, begun: Begun): TailedFile {
    const { agent, now } = this.options;
    const file = new TailedFile({ ...begun, handle, key, path, source, agent, now });
    // The agent before the reload may have left the same file open. If the file was opened a second time, the old
    // handle is closed.
    const before = this.left.get(key);
    this.left.delete(key);
    if (before !== handle) void before?.close().catch(() => {});
    this.files.set(key, file);
    return file;
  }

  /** Updates `detachedAt` of all files: the time since which no path leads to the file. */
  private noteDetached(found: ReadonlySet<TailedFile>): void {
    const { now, wake, agent } = this.options;
    for (const file of this.files.values()) {
      if (found.has(file)) file.detachedAt = undefined;
      else if (file.detachedAt === undefined) {
        file.detachedAt = now();
        agent.metrics.tailRotations.inc({ source: file.source.settings.source, kind: "renamed" });
        wake(file);
      }
    }
  }

  /**
   * Takes over files that the agent before the reload has left open and that were renamed or removed, so that the scan
   * did not find them. Closes the files among them that cannot be continued.
   */
  private async takeKept(): Promise<void> {
    const { positions, now, wake } = this.options;
    for (const [key, handle] of this.left) {
      const position = positions.of(key);
      const source = position === undefined ? undefined : this.sourceOf(position.path);
      const { size } = await stateOf(handle);
      if (position === undefined || source === undefined || !(await isSameFile(handle, size, position))) {
        this.left.delete(key);
        await handle.close().catch(() => {});
        continue;
      }
      const file = this.add(handle, key, position.path, source, position);
      file.note(size);
      file.detachedAt = now();
      wake(file);
    }
  }

  /** Finds files that were renamed within their folder while no agent ran, and that have unread lines. */
  private async findRenamed(): Promise<void> {
    const { positions } = this.options;
    const lost = new Map<string, Map<FileKey, { position: Position; source: Source }>>();
    for (const position of positions.all()) {
      const source = this.files.has(position.key) ? undefined : this.sourceOf(position.path);
      if (source === undefined) continue;
      const folder = path.dirname(position.path);
      const inFolder = lost.get(folder) ?? new Map();
      lost.set(folder, inFolder.set(position.key, { position, source }));
    }
    for (const [folder, wanted] of lost) {
      for (const name of await readdir(folder).catch(() => [])) {
        const at = path.join(folder, name);
        const status = await stat(at, { bigint: true }).catch(() => undefined);
        const found = status?.isFile() ? wanted.get(keyOf(status)) : undefined;
        if (found !== undefined) await this.openRenamed(at, found.position, found.source).catch(() => {});
      }
    }
  }

  private async openRenamed(at: string, position: Position, source: Source): Promise<void> {
    const { now, wake } = this.options;
    const handle = await openFile(at);
    if (handle === undefined) return;
    const { key, size } = await stateOf(handle);
    const isUnread = size > position.place.offset && !this.files.has(key);
    if (!isUnread || !(await isSameFile(handle, size, position))) return await handle.close();
    const file = this.add(handle, key, position.path, source, position);
    file.note(size);
    file.detachedAt = now();
    wake(file);
  }

  /** Returns the first source that has a pattern for the path; undefined when there is none. */
  private sourceOf(at: string): Source | undefined {
    return this.options.sources.find(
      ({ patterns, isExcluded }) => patterns.some((pattern) => pattern.matches(at)) && !isExcluded(at),
    );
  }
}

async function isSameFile(handle: FileHandle, size: number, { place, fingerprint }: Position): Promise<boolean> {
  return size >= place.offset && (await hasFingerprint(handle, fingerprint));
}

// The files that are open for reading. Finds the files that the patterns match, opens new ones, and finds files that
// were renamed while no agent ran. A file is identified by its device and inode number. So a file is open only once,
// even when several links or patterns lead to it; it is read for the first entry of the configuration whose pattern
// matches it.

import type { FileHandle } from "node:fs/promises";
import { realpath, stat } from "node:fs/promises";
import path from "node:path";
import type { FetchingAgent, InputHost } from "../input.ts";
import { type Beginning, beginReading, byInode, isSameFile } from "./begin-reading.ts";
import { findFiles } from "./find-files.ts";
import type { TailGauges } from "./gauges.ts";
import { LostFiles } from "./lost-files.ts";
import type { FileKey, Position, Positions } from "./positions.ts";
import type { Source } from "./source.ts";
import { keyOf, openFile, stateOf, TailedFile } from "./tailed-file.ts";

export interface OpenFilesOptions {
  readonly sources: readonly Source[];
  readonly agent: Pick<FetchingAgent, "log" | "metrics">;
  readonly positions: Positions;
  /**
   * Files that the previous agent, which ran until the reload of the configuration, has left open. The constructor
   * takes over all of them.
   */
  readonly kept: InputHost["keptFiles"];
  readonly gauges: TailGauges;
  /** Schedules a file to be read, because it is new or has changed. */
  readonly wake: (file: TailedFile) => void;
  /** Returns the current time of a monotonic clock in milliseconds. */
  readonly now: () => number;
}

export class OpenFiles {
  private readonly options: OpenFilesOptions;
  private readonly files = new Map<FileKey, TailedFile>();
  /**
   * Files that the previous agent left open at a reload of the configuration, and that no scan (search for files)
   * of this agent has found yet.
   */
  private readonly left: Map<FileKey, FileHandle>;
  /**
   * Maps paths to the files that the last scan (search for files) found there. A file that was found through a
   * symbolic link is listed twice: by the path of the link and by its own path. Some of these files may have been
   * closed since the scan.
   */
  private byPath = new Map<string, TailedFile>();
  /** Maps the path of each symbolic link to the path of its target. */
  private readonly linked = new Map<string, string>();
  /**
   * Paths of files that the first search for their pattern found but could not read. When such a file becomes readable,
   * it is read from the position that the setting `from` names, like all files that the first search found.
   */
  private readonly unreadAtFirst = new Set<string>();
  private isFirstLook = true;
  /**
   * The positions that were saved before this agent started. The first search for files uses them to find the position
   * of a file whose device number has changed.
   */
  private fromLastRun: ReadonlyMap<string, Position>;
  private readonly lost: LostFiles;

  constructor(options: OpenFilesOptions) {
    this.options = options;
    const { positions, now } = options;
    this.lost = new LostFiles({ positions, isOpen: this.isOpen, sourceOf: (at) => this.sourceOf(at), now });
    this.fromLastRun = byInode(positions.all());
    this.left = new Map(options.kept);
    options.kept.clear();
  }

  all(): IterableIterator<TailedFile> {
    return this.files.values();
  }

  at(path: string): TailedFile | undefined {
    return this.byPath.get(path);
  }

  private readonly isOpen = (key: FileKey): boolean => this.files.has(key);

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
      await this.openLost();
      positions.expire((key) => this.files.has(key));
      await positions.watch(sources.flatMap(({ patterns }) => patterns.map(({ text }) => text)));
    } else await this.openLost();
    this.isFirstLook = false;
    this.fromLastRun = new Map();
    return folders;
  }

  /**
   * Closes a file that was read to its end. When the file is deleted, first removes its saved position and then
   * closes the handle. Only then can a new file get the same inode number, so the removed position is never that
   * of a new file.
   */
  async close(file: TailedFile): Promise<void> {
    const { positions } = this.options;
    this.files.delete(file.key);
    if (file.isDeleted) {
      if (!file.isGzip) await positions.end(file.position);
      await positions.forget(file.key);
    }
    await file.close();
  }

  /**
   * Closes all files when `isReload` is false. Otherwise leaves them open for the agent that starts with the new
   * configuration.
   */
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
      else if (file.note({ size: Number(status.size), writtenAt: status.mtimeNs })) wake(file);
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
      const state = await stateOf(handle);
      const { key, size } = state;
      const known = this.files.get(key);
      if (known !== undefined) {
        await handle.close();
        return known;
      }
      const wasUnread = this.unreadAtFirst.delete(at);
      const found = { handle, source, at, key, size, isNew: isNew || wasUnread };
      const begun = await beginReading(found, {
        positions,
        fromLastRun: this.fromLastRun,
        isOpen: this.isOpen,
        onReplaced: (position, replaced) => this.lost.rekey(position, replaced),
      });
      if (begun === undefined) {
        await handle.close();
        return undefined;
      }
      const file = this.add(handle, key, source, begun);
      file.note(state);
      // The position is saved before the first byte is read, for two reasons. First, reading may begin at the end of
      // the file, and this end moves when the file grows. Second, when the file is renamed while no agent runs, the
      // next agent can find it again only by a saved position.
      if (positions.of(key)?.fingerprint !== begun.fingerprint) await positions.save(file.position);
      wake(file);
      return file;
    } catch (error) {
      await handle.close().catch(() => {});
      throw error;
    }
  }

  private add(handle: FileHandle, key: FileKey, source: Source, begun: Beginning): TailedFile {
    const { agent, now } = this.options;
    const file = new TailedFile({ ...begun, handle, key, source, agent, now });
    // The previous agent may have left the same file open at a reload of the configuration. Since this agent has now
    // opened the file itself, it closes the handle of the previous agent.
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
   * Takes over files that the previous agent left open at a reload of the configuration and that the scan did not
   * find, because they were renamed or removed. Closes each file that has no saved position, that belongs to no
   * source (entry of `inputs.tail`) any more, or that was truncated and written again.
   */
  private async takeKept(): Promise<void> {
    const { positions, now, wake } = this.options;
    for (const [key, handle] of this.left) {
      const position = positions.of(key);
      const source = position === undefined ? undefined : this.sourceOf(position.path);
      const state = await stateOf(handle);
      if (position === undefined || source === undefined || !(await isSameFile(handle, state.size, position))) {
        this.left.delete(key);
        await handle.close().catch(() => {});
        continue;
      }
      const file = this.add(handle, key, source, position);
      file.note(state);
      file.detachedAt = now();
      wake(file);
    }
  }

  /** Opens files again that were renamed or compressed while no agent ran, and that have or may get unread lines. */
  private async openLost(): Promise<void> {
    const { now, wake } = this.options;
    for (const { handle, state, position, source } of await this.lost.find()) {
      const file = this.add(handle, state.key, source, position);
      file.note(state);
      file.detachedAt = now();
      wake(file);
    }
  }

  /**
   * Returns the first source (entry of `inputs.tail`) that has a pattern for the path; undefined when there is none.
   */
  private sourceOf(at: string): Source | undefined {
    return this.options.sources.find(
      ({ patterns, isExcluded }) => patterns.some((pattern) => pattern.matches(at)) && !isExcluded(at),
    );
  }
}

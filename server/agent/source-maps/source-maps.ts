// Resolves error stacks of an application with its uploaded source maps (docs/reference/agent.md#source-maps).
// Keeps some archives open and some parsed maps in memory; there is a limit for each of the two. When an archive
// was replaced, reads the new one at the next use.

import { stat } from "node:fs/promises";
import path from "node:path";
import { type Archive, openArchive } from "./archive.ts";
import { type JavaMapping, parseJavaMapping, resolveJavaStack } from "./java-stack.ts";
import { type Application, archiveName, type Platform } from "./names.ts";
import { MapTooLarge, parseSourceMap, type SourceMap } from "./source-map.ts";
import { StackError } from "./stack-error.ts";
import { resolveWebStack } from "./web-stack.ts";

export interface SourceMaps {
  /** Returns the error stack with its frames (lines of calls) resolved by source maps. Throws StackError. */
  resolve(platform: Platform, application: Application, stack: string): Promise<string>;
  /**
   * Checks an uploaded archive. Returns the reason to refuse it, which is that an entry exceeds a limit; returns
   * undefined when the archive is accepted. Files that are no archive or no source map are accepted here; they are
   * ignored when a stack is resolved.
   */
  refusalOf(file: string): Promise<string | undefined>;
  close(): void;
}

const maxArchives = 16;
/** Largest number of bytes that all parsed source maps in the cache may take together. */
const maxParsedBytes = 64 * 1024 * 1024;
const mappingFile = /(?:^|\/)mapping\.txt$/;

/**
 * An opened archive, or the reason why it could not be opened. A file that could not be opened is not tried again until
 * it changes.
 */
type Opened = { readonly stamp: string } & ({ readonly archive: Archive } | { readonly failure: string });

/**
 * A parsed entry of a source map archive, as the cache holds it. An entry that cannot be used is held with the value
 * undefined, so that it is not parsed again.
 */
type Parsed = { readonly bytes: number; readonly value: SourceMap | JavaMapping | undefined };

export interface SourceMapsOptions {
  /** The folder that holds one folder of archives for each platform (web, android and so on). */
  readonly folder: string;
  /**
   * Whether frames (lines of calls) in the formats of browsers are resolved. Frames in the format of the SDKs are
   * resolved in any case.
   */
  readonly browserFrames: boolean;
  /** Largest size in bytes of one entry in an archive of source maps. */
  readonly maxMapBytes: number;
  readonly warn: (message: string) => void;
}

export function openSourceMaps(options: SourceMapsOptions): SourceMaps {
  return new OpenSourceMaps(options);
}

class OpenSourceMaps implements SourceMaps {
  private readonly options: SourceMapsOptions;
  /** Open archives of source maps, the most recently used one last. */
  private readonly archives = new Map<string, Opened>();
  /** Parsed entries of source map archives, the most recently used one last. */
  private readonly parsed = new Map<string, Parsed>();
  private parsedBytes = 0;

  constructor(options: SourceMapsOptions) {
    this.options = options;
  }

  async resolve(platform: Platform, application: Application, stack: string): Promise<string> {
    const fileIn = (of: Platform) => path.join(this.options.folder, of, archiveName(application));
    switch (platform) {
      case "web":
        return await this.resolveWeb(fileIn("web"), stack);
      case "miniapp": {
        const own = await stat(fileIn("miniapp")).catch(() => undefined);
        const web = own === undefined ? await stat(fileIn("web")).catch(() => undefined) : undefined;
        return await this.resolveWeb(fileIn(web === undefined ? "miniapp" : "web"), stack);
      }
      case "android":
        if (/^backtrace:/m.test(stack))
          throw new StackError("native stacks need the tool [ndk-stack], which is not built in");
        return await this.resolveJava(fileIn("android"), stack);
      case "ios":
        throw new StackError("the tool [atosl] not found: stacks of ios are not resolved");
    }
  }

  async refusalOf(file: string): Promise<string | undefined> {
    const archive = await openArchive(file, isMap).catch(() => undefined);
    if (archive === undefined) return undefined;
    try {
      for (const entry of archive.names()) {
        try {
          const parse: Parse<SourceMap | JavaMapping> = entry.endsWith(".map") ? parseSourceMap : parseJavaMapping;
          await this.read(archive, entry, parse);
        } catch (error) {
          if (error instanceof MapTooLarge) return `${entry} has ${error.message}`;
        }
      }
      return undefined;
    } finally {
      archive.close();
    }
  }

  close(): void {
    for (const file of [...this.archives.keys()]) this.forget(file);
  }

  private async resolveWeb(file: string, stack: string): Promise<string> {
    const archive = await this.archiveOf(file);
    const mapOf = (entry: string) => this.parsedOf(file, archive, entry, parseSourceMap);
    return await resolveWebStack(stack, this.options.browserFrames, mapOf);
  }

  private async resolveJava(file: string, stack: string): Promise<string> {
    const archive = await this.archiveOf(file);
    const name = path.basename(file, ".zip");
    const entry = [`mapping.txt`, `${name}/mapping.txt`].find((each) => archive.has(each)) ?? "mapping.txt";
    const mapping = await this.parsedOf(file, archive, entry, parseJavaMapping);
    if (mapping === undefined) throw new StackError(`mapping.txt of [${file}] is required`);
    return resolveJavaStack(stack, mapping);
  }

  /** Returns the open archive of a file. Opens the archive again when the file has changed. Throws StackError. */
  private async archiveOf(file: string): Promise<Archive> {
    const info = await stat(file).catch(() => undefined);
    if (info?.isFile() !== true) {
      this.forget(file);
      throw new StackError(`source map file [${file}] not exists`);
    }
    const stamp = `${info.mtimeMs} ${info.size} ${info.ino}`;
    const known = this.archives.get(file);
    if (known?.stamp === stamp) {
      this.archives.delete(file);
      this.archives.set(file, known);
    } else {
      await this.open(file, stamp);
    }
    const opened = this.archives.get(file)!;
    if ("failure" in opened) throw new StackError(opened.failure);
    return opened.archive;
  }

  private async open(file: string, stamp: string): Promise<void> {
    this.forget(file);
    const opened = await openArchive(file, isMap).then(
      (archive) => ({ archive }),
      (error: Error) => ({ failure: `source map file [${file}] cannot be read: ${error.message}` }),
    );
    this.archives.set(file, { stamp, ...opened });
    if (this.archives.size > maxArchives) this.forget(this.archives.keys().next().value!);
  }

  /** Closes an archive and removes the source maps that were parsed from it. */
  private forget(file: string): void {
    const opened = this.archives.get(file);
    if (opened !== undefined && "archive" in opened) opened.archive.close();
    this.archives.delete(file);
    for (const [key, { bytes }] of this.parsed) {
      if (!key.startsWith(`${file}\0`)) continue;
      this.parsed.delete(key);
      this.parsedBytes -= bytes;
    }
  }

  /** Returns a parsed entry of an archive; undefined when the archive has no usable entry of the given name. */
  private async parsedOf<T extends SourceMap | JavaMapping>(
    file: string,
    archive: Archive,
    entry: string,
    parse: Parse<T>,
  ): Promise<T | undefined> {
    if (!archive.has(entry)) return undefined;
    const key = `${file}\0${entry}`;
    const known = this.parsed.get(key);
    if (known !== undefined) {
      this.parsed.delete(key);
      this.parsed.set(key, known);
      return known.value as T | undefined;
    }
    let value: T | undefined;
    try {
      value = await this.read(archive, entry, parse);
    } catch (error) {
      this.options.warn(`source map ${entry} of ${file} is left out: ${(error as Error).message}`);
    }
    this.keep(key, { bytes: value?.bytes ?? 0, value });
    return value;
  }

  private async read<T extends SourceMap | JavaMapping>(archive: Archive, entry: string, parse: Parse<T>): Promise<T> {
    return parse(await archive.read(entry, this.options.maxMapBytes));
  }

  /**
   * Stores a parsed entry in the cache. When all entries together exceed the memory limit, removes the least recently
   * used entries.
   */
  private keep(key: string, parsed: Parsed): void {
    this.parsed.set(key, parsed);
    this.parsedBytes += parsed.bytes;
    for (const [oldest, { bytes }] of this.parsed) {
      if (this.parsedBytes <= maxParsedBytes || oldest === key) break;
      this.parsed.delete(oldest);
      this.parsedBytes -= bytes;
    }
  }
}

type Parse<T> = (bytes: Uint8Array) => T;

function isMap(name: string): boolean {
  return name.endsWith(".map") || mappingFile.test(name);
}

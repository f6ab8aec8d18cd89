// The stacks of an application resolved with what was uploaded for it (docs/reference/agent.md#source-maps). Archives stay open and maps
// stay parsed, a bounded number of each; a file that was replaced is read anew at the next look.

import { stat } from "node:fs/promises";
import path from "node:path";
import { type Archive, openArchive } from "./archive.ts";
import { type JavaMapping, parseJavaMapping, resolveJavaStack } from "./java-stack.ts";
import { type Application, archiveName, type Platform } from "./names.ts";
import { MapTooLarge, parseSourceMap, type SourceMap } from "./source-map.ts";
import { StackError } from "./stack-error.ts";
import { resolveWebStack } from "./web-stack.ts";

export interface SourceMaps {
  /** Throws StackError. */
  resolve(platform: Platform, application: Application, stack: string): Promise<string>;
  /** Why an uploaded archive is refused: an entry passes a bound. What is no archive or no map is only left out when it is asked for. */
  refusalOf(file: string): Promise<string | undefined>;
  close(): void;
}

const maxArchives = 16;
/** The bytes that all parsed maps in the cache may take. */
const maxParsedBytes = 64 * 1024 * 1024;
const mappingFile = /(?:^|\/)mapping\.txt$/;

/** A file that cannot be read is not tried again until it is another one. */
type Opened = { readonly stamp: string } & ({ readonly archive: Archive } | { readonly failure: string });

/** `undefined` as a value: the entry is there and cannot be used; it is not tried again. */
type Parsed = { readonly bytes: number; readonly value: SourceMap | JavaMapping | undefined };

export interface SourceMapsOptions {
  /** Holds one folder per platform. */
  readonly folder: string;
  /** Also frames as browsers write them. */
  readonly browserFrames: boolean;
  /** Largest entry of an archive. */
  readonly maxMapBytes: number;
  readonly warn: (message: string) => void;
}

export function openSourceMaps({ folder, browserFrames, maxMapBytes, warn }: SourceMapsOptions): SourceMaps {
  const archives = new Map<string, Opened>();
  const parsed = new Map<string, Parsed>();
  let parsedBytes = 0;

  const forget = (file: string) => {
    const opened = archives.get(file);
    if (opened !== undefined && "archive" in opened) opened.archive.close();
    archives.delete(file);
    for (const [key, { bytes }] of parsed) {
      if (!key.startsWith(`${file}\0`)) continue;
      parsed.delete(key);
      parsedBytes -= bytes;
    }
  };

  const archiveOf = async (file: string): Promise<Archive> => {
    const info = await stat(file).catch(() => undefined);
    if (info?.isFile() !== true) {
      forget(file);
      throw new StackError(`source map file [${file}] not exists`);
    }
    const stamp = `${info.mtimeMs} ${info.size} ${info.ino}`;
    const known = archives.get(file);
    if (known?.stamp === stamp) {
      archives.delete(file);
      archives.set(file, known);
    } else {
      forget(file);
      const opened = await openArchive(file, isMap).then(
        (archive) => ({ archive }),
        (error: Error) => ({ failure: `source map file [${file}] cannot be read: ${error.message}` }),
      );
      archives.set(file, { stamp, ...opened });
      if (archives.size > maxArchives) forget(archives.keys().next().value!);
    }
    const opened = archives.get(file)!;
    if ("failure" in opened) throw new StackError(opened.failure);
    return opened.archive;
  };

  const read = async <T extends SourceMap | JavaMapping>(
    archive: Archive,
    entry: string,
    parse: Parse<T>,
  ): Promise<T> => parse(await archive.read(entry, maxMapBytes));

  const parsedOf = async <T extends SourceMap | JavaMapping>(
    file: string,
    archive: Archive,
    entry: string,
    parse: Parse<T>,
  ): Promise<T | undefined> => {
    if (!archive.has(entry)) return undefined;
    const key = `${file}\0${entry}`;
    const known = parsed.get(key);
    if (known !== undefined) {
      parsed.delete(key);
      parsed.set(key, known);
      return known.value as T | undefined;
    }
    let value: T | undefined;
    try {
      value = await read(archive, entry, parse);
    } catch (error) {
      warn(`source map ${entry} of ${file} is left out: ${(error as Error).message}`);
    }
    const bytes = value?.bytes ?? 0;
    parsed.set(key, { bytes, value });
    parsedBytes += bytes;
    for (const [oldest, { bytes: size }] of parsed) {
      if (parsedBytes <= maxParsedBytes || oldest === key) break;
      parsed.delete(oldest);
      parsedBytes -= size;
    }
    return value;
  };

  const resolveWeb = async (file: string, stack: string) => {
    const archive = await archiveOf(file);
    return await resolveWebStack(stack, browserFrames, (entry) => parsedOf(file, archive, entry, parseSourceMap));
  };

  const resolveJava = async (file: string, stack: string) => {
    const archive = await archiveOf(file);
    const name = path.basename(file, ".zip");
    const entry = [`mapping.txt`, `${name}/mapping.txt`].find((each) => archive.has(each)) ?? "mapping.txt";
    const mapping = await parsedOf(file, archive, entry, parseJavaMapping);
    if (mapping === undefined) throw new StackError(`mapping.txt of [${file}] is required`);
    return resolveJavaStack(stack, mapping);
  };

  return {
    resolve: async (platform, application, stack) => {
      const fileIn = (of: Platform) => path.join(folder, of, archiveName(application));
      switch (platform) {
        case "web":
          return await resolveWeb(fileIn("web"), stack);
        case "miniapp": {
          const own = await stat(fileIn("miniapp")).catch(() => undefined);
          const web = own === undefined ? await stat(fileIn("web")).catch(() => undefined) : undefined;
          return await resolveWeb(fileIn(web === undefined ? "miniapp" : "web"), stack);
        }
        case "android":
          if (/^backtrace:/m.test(stack))
            throw new StackError("native stacks need the tool [ndk-stack], which is not built in");
          return await resolveJava(fileIn("android"), stack);
        case "ios":
          throw new StackError("the tool [atosl] not found: stacks of ios are not resolved");
      }
    },
    refusalOf: async (file) => {
      const archive = await openArchive(file, isMap).catch(() => undefined);
      if (archive === undefined) return undefined;
      try {
        for (const entry of archive.names()) {
          try {
            await read<SourceMap | JavaMapping>(
              archive,
              entry,
              entry.endsWith(".map") ? parseSourceMap : parseJavaMapping,
            );
          } catch (error) {
            if (error instanceof MapTooLarge) return `${entry} has ${error.message}`;
          }
        }
        return undefined;
      } finally {
        archive.close();
      }
    },
    close: () => {
      for (const file of [...archives.keys()]) forget(file);
    },
  };
}

type Parse<T> = (bytes: Uint8Array) => T;

function isMap(name: string): boolean {
  return name.endsWith(".map") || mappingFile.test(name);
}

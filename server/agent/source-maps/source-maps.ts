// The stacks of an application resolved with what was uploaded for it (agent document, A.6). Archives stay open and maps
// stay parsed, a bounded number of each; a file that was replaced is read anew at the next look.

import { stat } from "node:fs/promises";
import path from "node:path";
import { FlattenMap, type SourceMapInput, type TraceMap } from "@jridgewell/trace-mapping";
import { type Archive, openArchive } from "./archive.ts";
import { type JavaMapping, parseJavaMapping, resolveJavaStack } from "./java-stack.ts";
import { type Application, archiveName, type Platform } from "./names.ts";
import { StackError } from "./stack-error.ts";
import { resolveWebStack } from "./web-stack.ts";

export interface SourceMaps {
  /** Throws StackError. */
  resolve(platform: Platform, application: Application, stack: string): Promise<string>;
  close(): void;
}

const maxArchives = 16;
/** Text of the maps that are kept parsed. */
const maxParsedBytes = 64 * 1024 * 1024;
const mappingFile = /(?:^|\/)mapping\.txt$/;

interface Opened {
  readonly stamp: string;
  readonly archive: Archive;
}

/** `undefined` as a value: the entry is there and is no source map. */
type Parsed = { readonly bytes: number; readonly value: TraceMap | JavaMapping | undefined };

export interface SourceMapsOptions {
  /** Holds one folder per platform. */
  readonly folder: string;
  /** Also frames as browsers write them. */
  readonly browserFrames: boolean;
  readonly warn: (message: string) => void;
}

export function openSourceMaps({ folder, browserFrames, warn }: SourceMapsOptions): SourceMaps {
  const archives = new Map<string, Opened>();
  const parsed = new Map<string, Parsed>();
  let parsedBytes = 0;

  const forget = (file: string) => {
    archives.get(file)?.archive.close();
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
      return known.archive;
    }
    forget(file);
    let archive: Archive;
    try {
      archive = await openArchive(file, (name) => name.endsWith(".map") || mappingFile.test(name));
    } catch (error) {
      throw new StackError(`source map file [${file}] cannot be read: ${(error as Error).message}`);
    }
    archives.set(file, { stamp, archive });
    if (archives.size > maxArchives) forget(archives.keys().next().value!);
    return archive;
  };

  const parsedOf = async <T extends TraceMap | JavaMapping>(
    file: string,
    archive: Archive,
    entry: string,
    parse: (text: string) => T,
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
    let bytes = 0;
    try {
      const text = await archive.read(entry);
      bytes = text.length;
      value = parse(new TextDecoder().decode(text));
    } catch (error) {
      warn(`source map ${entry} of ${file} is left out: ${(error as Error).message}`);
    }
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
    close: () => {
      for (const file of [...archives.keys()]) forget(file);
    },
  };
}

function parseSourceMap(text: string): TraceMap {
  const map = JSON.parse(text) as SourceMapInput & { version?: unknown };
  if (typeof map !== "object" || map === null) throw new Error("it is no object");
  if (map.version !== undefined && map.version !== 3) throw new Error("its version is not 3");
  return new FlattenMap(map);
}

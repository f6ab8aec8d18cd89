// Resolves a Java stack with the file mapping.txt of ProGuard and R8: restores the names of classes and methods, and
// the line numbers. When several methods share an obfuscated name and have no line numbers, uses the first one. Format:
// https://r8.googlesource.com/r8/+/main/doc/retrace.md

import { MapTooLarge } from "./source-map.ts";

interface Range {
  readonly from: number;
  readonly to: number;
  readonly originalFrom: number;
  readonly originalTo: number;
  /** Original name of the method. Includes the class when the method was inlined from another class. */
  readonly method: string;
}

interface ClassMapping {
  readonly name: string;
  /** Maps each obfuscated method name to the line ranges of its methods, in the order of the file. */
  readonly methods: Map<string, Range[]>;
}

export interface JavaMapping {
  /** Approximate number of bytes that the parsed mapping.txt takes in memory. */
  readonly bytes: number;
  readonly classes: ReadonlyMap<string, ClassMapping>;
}

/**
 * Largest number of classes and line ranges of methods together in a mapping.txt. Each class or range takes about 200
 * bytes of memory.
 */
export const maxJavaNames = 1_000_000;
const nameBytes = 200;

const classLine = /^(\S+) -> (\S+):$/;
const methodLine = /^\s+(?:(\d+):(\d+):)?\S+ ([^\s(]+)\([^)]*\)(?::(\d+)(?::(\d+))?)? -> (\S+)$/;

/** Parses a mapping.txt. Throws MapTooLarge when it has too many names. */
export function parseJavaMapping(bytes: Uint8Array): JavaMapping {
  let names = 0;
  const count = () => {
    if (++names > maxJavaNames) throw new MapTooLarge(`more than ${maxJavaNames} classes and methods`);
  };
  const classes = new Map<string, ClassMapping>();
  let current: ClassMapping | undefined;
  for (const line of linesOf(new TextDecoder().decode(bytes))) {
    const begin = classLine.exec(line.trimEnd());
    if (begin !== null) {
      count();
      current = { name: begin[1], methods: new Map() };
      classes.set(begin[2], current);
      continue;
    }
    const method = current === undefined ? null : methodLine.exec(line.trimEnd());
    if (method === null) continue;
    count();
    const [, from, to, name, originalFrom, originalTo, obfuscated] = method;
    const ranges = current!.methods.get(obfuscated) ?? [];
    current!.methods.set(obfuscated, ranges);
    ranges.push({
      from: Number(from ?? 0),
      to: Number(to ?? 0),
      originalFrom: Number(originalFrom ?? from ?? 0),
      originalTo: Number(originalTo ?? originalFrom ?? to ?? 0),
      method: name,
    });
  }
  return { bytes: names * nameBytes, classes };
}

/** Yields the lines of a mapping.txt one at a time, since a list of all lines would take more memory than the text. */
function* linesOf(text: string): Generator<string> {
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf("\n", at);
    const stop = end < 0 ? text.length : end;
    yield text.slice(at, stop);
    at = stop + 1;
  }
}

const frameLine = /^(\s*at )([\w$.]+)\.([\w$<>]+)\(([^:)]*)(?::(\d+))?\)(.*)$/;
const exceptionLine =
  /^(\s*(?:Caused by: |Suppressed: )?(?:Exception in thread "[^"]*" )?)([\w$]+(?:\.[\w$]+)*)(:.*|\s*)$/;

export function resolveJavaStack(stack: string, { classes }: JavaMapping): string {
  return stack
    .split("\n")
    .flatMap((line) => resolveLine(line, classes))
    .join("\n");
}

function resolveLine(line: string, mapping: JavaMapping["classes"]): string[] {
  const frame = frameLine.exec(line);
  if (frame !== null) {
    const [, indent, className, method, , lineNumber, rest] = frame;
    const known = mapping.get(className);
    if (known === undefined) return [line];
    const at = Number(lineNumber ?? 0);
    const ranges = known.methods.get(method) ?? [];
    const inRange = ranges.filter(({ from, to }) => at > 0 && from <= at && at <= to);
    const found = inRange.length > 0 ? inRange : ranges.filter(({ from }) => from === 0).slice(0, 1);
    if (found.length === 0) return [`${indent}${known.name}.${method}(${sourceFile(known.name)}${suffix(at)})${rest}`];
    return found.map((range) => {
      const dot = range.method.lastIndexOf(".");
      const owner = dot < 0 ? known.name : range.method.slice(0, dot);
      return `${indent}${owner}.${range.method.slice(dot + 1)}(${sourceFile(owner)}${suffix(originalLine(range, at))})${rest}`;
    });
  }
  const exception = exceptionLine.exec(line);
  const known = exception === null ? undefined : mapping.get(exception[2]);
  return [known === undefined ? line : `${exception![1]}${known.name}${exception![3]}`];
}

/**
 * Converts a line number of obfuscated code to the original line number. When the obfuscated and the original range
 * have different lengths, the result is the first original line.
 */
function originalLine({ from, to, originalFrom, originalTo }: Range, at: number): number {
  if (from === 0) return originalFrom || at;
  return to - from === originalTo - originalFrom ? originalFrom + at - from : originalFrom;
}

function suffix(line: number): string {
  return line === 0 ? "" : `:${line}`;
}

function sourceFile(className: string): string {
  return `${className.split(".").at(-1)!.split("$")[0]}.java`;
}

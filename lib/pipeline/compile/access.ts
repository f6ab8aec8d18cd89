// Compiles the reading and writing of list and map elements, and slices
// (docs/reference/language.md#elements-and-slices).

import { detachedSlice } from "../../text/flat.ts";
import { type Code, code } from "../runtime/code.ts";
import type { Run } from "../runtime/run.ts";
import { chargeValue } from "../runtime/step-charge.ts";
import { isDict, isInt, isList, isNothing, isText, textOf, typeName, type Value } from "../runtime/value.ts";
import type { Expr, IndexExpr, Offset } from "../syntax/ast.ts";
import { liftedArgument } from "./argument-lifting.ts";
import type { CompilationUnit } from "./compilation-unit.ts";
import type { Scope } from "./scope.ts";

type Expression = Code<Value>;

/**
 * Compiles the reading of an element such as `a[0]["k"]`. `indexes` are the compiled indexes of `node`. Reading
 * a key that a map does not have returns nil.
 */
export function compileIndex(
  unit: CompilationUnit,
  scope: Scope,
  node: IndexExpr,
  indexes: readonly Expression[],
): Expression {
  const base = node.base!;
  const read = scope.reader(base.name);
  const start = (run: Run): Value => {
    const value = read(run);
    if (value === undefined) throw unit.failure("key not found", base.at);
    if (!isList(value) && !isDict(value)) throw unit.failure(`unindexable type: ${typeName(value)}`, base.at);
    return value;
  };
  const places = node.indexes.map(({ at }) => at);
  const last = indexes.length - 1;
  const [first] = indexes as [Expression];
  const [place] = places as [Offset];
  return code<Value>(
    indexes,
    last === 0
      ? (run) => {
          const container = start(run) as Container;
          const index = first.direct(run);
          const isKey = typeof index === "string" && !Array.isArray(container);
          return (isKey ? container.get(index) : element(unit, container, index, place)) ?? null;
        }
      : (run) => {
          let value: Value | undefined = start(run);
          for (let level = 0; level <= last; level++) {
            const container = containerOf(unit, value, places[level]!);
            value = element(unit, container, indexes[level]!.direct(run), places[level]!);
            if (value === undefined) return null;
          }
          return value;
        },
    function* (run) {
      let value: Value | undefined = start(run);
      for (let level = 0; level <= last; level++) {
        const container = containerOf(unit, value, places[level]!);
        value = element(unit, container, (yield indexes[level]!) as Value, places[level]!);
        if (value === undefined) return null;
      }
      return value;
    },
  );
}

type Container = Value[] | Map<string, Value>;

function containerOf(unit: CompilationUnit, value: Value, at: Offset): Container {
  if (!isList(value) && !isDict(value)) throw unit.failure("not found", at);
  return value;
}

/** Returns the element of a list or map; `undefined` when a map does not have the key. */
function element(unit: CompilationUnit, container: Container, index: Value, at: Offset): Value | undefined {
  if (Array.isArray(container)) return container[listIndex(unit, container, index, at)];
  return container.get(mapKey(unit, index, at));
}

function listIndex(unit: CompilationUnit, list: readonly Value[], index: Value, at: Offset): number {
  if (!isInt(index)) throw unit.failure("key type is not int", at);
  const wanted = Number(index);
  const real = wanted < 0 ? wanted + list.length : wanted;
  if (real < 0 || real >= list.length) throw unit.failure("list index out of range", at);
  return real;
}

function mapKey(unit: CompilationUnit, index: Value, at: Offset): string {
  if (!isText(index)) throw unit.failure("key type is not string", at);
  return textOf(index);
}

/**
 * A list or map element that an assignment will write. `old` is the value before the assignment; nil when a map does
 * not have the key yet.
 */
export interface Place {
  readonly old: Value;
  readonly set: (value: Value) => void;
}

/**
 * Compiles the target of an assignment, such as `a[0]["k"]`. The returned function evaluates the indexes and finds the
 * element to write.
 */
export function compilePlace(
  unit: CompilationUnit,
  scope: Scope,
  node: IndexExpr,
  indexes: readonly Expression[],
): (run: Run) => Place {
  const base = node.base!;
  const read = scope.reader(base.name);
  const places = node.indexes.map(({ at }) => at);
  const indexOf = indexes.map(liftedArgument);
  return (run) => {
    let value = read(run);
    if (value === undefined) throw unit.failure("key not found", base.at);
    for (let level = 0; ; level++) {
      const at = places[level]!;
      if (!isList(value) && !isDict(value)) throw unit.failure("obj not map or list", at);
      const container: Container = value;
      const index = indexOf[level]!(run);
      const found = element(unit, container, index, at);
      if (level === indexes.length - 1) {
        if (found === undefined) run.memory.makeEntry(mapKey(unit, index, at));
        return { old: found ?? null, set: (next) => put(container, index, next) };
      }
      if (found === undefined) throw unit.failure("key not found", at);
      value = found;
    }
  };
}

/** Writes an element of a list or map. The index must be valid; the function `element` checks it. */
function put(container: Container, index: Value, value: Value): void {
  if (Array.isArray(container)) {
    const wanted = Number(index);
    container[wanted < 0 ? wanted + container.length : wanted] = value;
  } else if (isText(index)) container.set(textOf(index), value);
}

/**
 * Compiles a slice such as `a[1:5:2]`. `bounds` are the start, the end and the step; null for a bound that is not
 * written.
 */
export function compileSlice(
  unit: CompilationUnit,
  node: Extract<Expr, { kind: "SliceExpr" }>,
  object: Expression,
  bounds: readonly (Expression | null)[],
): Expression {
  const boundNodes = [node.start, node.end, node.step];
  const apply = (run: Run, value: Value, values: readonly Value[]): Value => {
    chargeValue(run, value);
    if (!isText(value) && !isList(value)) throw unit.failure("invalid obj type", node.object.at);
    const at = (which: 0 | 1 | 2): Offset => boundNodes[which]?.at ?? node.at;
    const step = boundOf(unit, values[2]!, "step", at(2)) ?? 1;
    if (step === 0) throw unit.failure("step must be non-zero", at(2));
    const start = boundOf(unit, values[0]!, "start", at(0));
    const end = boundOf(unit, values[1]!, "end", at(1));
    run.memory.makeList(value.length);
    if (isList(value)) return sliceOf(value, start, end, step);
    const text = textOf(value);
    const ascii = /^[\0-\x7f]*$/.test(text);
    if (ascii && step === 1) {
      const [from, to] = limits(text.length, start, end, step);
      return detachedSlice(text, from, Math.max(from, to));
    }
    return sliceOf(ascii ? text.split("") : [...text], start, end, step).join("");
  };
  return code<Value>(
    [object, ...bounds],
    (run) => apply(run, object.direct(run), [...bounds.map((bound) => (bound === null ? null : bound.direct(run)))]),
    function* (run) {
      const value = (yield object) as Value;
      const values: Value[] = [];
      for (const bound of bounds) values.push(bound === null ? null : ((yield bound) as Value));
      return apply(run, value, values);
    },
  );
}

function boundOf(unit: CompilationUnit, value: Value, name: string, at: Offset): number | null {
  if (isNothing(value)) return null;
  if (!isInt(value)) throw unit.failure(`${name} type must be integer`, at);
  return Number(value);
}

function sliceOf<T>(items: readonly T[], start: number | null, end: number | null, step: number): T[] {
  const [from, to] = limits(items.length, start, end, step);
  const taken: T[] = [];
  if (step > 0) for (let at = from; at < to; at += step) taken.push(items[at]!);
  else for (let at = from; at > to; at += step) taken.push(items[at]!);
  return taken;
}

/**
 * Returns the first index of a slice and the index to stop before. With a negative step the slice runs backwards, so
 * the second index is lower than the first.
 */
function limits(length: number, start: number | null, end: number | null, step: number): [number, number] {
  const counted = (bound: number) => (bound < 0 ? bound + length : bound);
  if (step > 0) {
    return [start === null ? 0 : Math.max(0, counted(start)), end === null ? length : Math.min(length, counted(end))];
  }
  const from = start === null ? length - 1 : Math.min(length - 1, counted(start));
  return [from, end === null ? -1 : Math.max(-1, counted(end))];
}

// Links the scripts that run each other by `use` (docs/reference/language.md#use).

import { shortenedText } from "../../text/shown-text.ts";
import type { Code } from "../runtime/code.ts";
import type { Program, Reference } from "../runtime/program.ts";
import type { Run } from "../runtime/run.ts";
import { type PlError, type Position, ScriptFailure } from "../syntax/errors.ts";

/** The result of checking a script: the compiled program, or the error. */
export type Checked = { readonly program: Program } | { readonly error: PlError };

/**
 * Longest chain of scripts that run each other. The length is limited, because each script of the chain uses the
 * JavaScript call stack.
 */
const maxDepth = 200;

/**
 * Connects each call of another script (by `use`) with the program of that script. Returns the errors of linking by the
 * name of the script.
 */
export function linkAll(scripts: ReadonlyMap<string, Checked>): Map<string, PlError> {
  const errors = new Map<string, PlError>();
  const sound = new Set<string>();
  for (const [name, checked] of scripts) {
    if (!("program" in checked)) continue;
    const error = visit(scripts, sound, name, []);
    if (error !== null) errors.set(name, error);
  }
  return errors;
}

interface Step {
  readonly name: string;
  readonly position: Position;
}

/**
 * Checks and links the script `name` and the scripts that it calls. Returns the first error; null when all these
 * scripts are correct. `path` holds the chain of scripts that call `name`, each with the position of the call.
 * `sound` holds the names of the scripts that were already linked without an error.
 */
function visit(scripts: ReadonlyMap<string, Checked>, sound: Set<string>, name: string, path: Step[]): PlError | null {
  if (sound.has(name)) return null;
  const checked = scripts.get(name)!;
  const outward = path.map(({ position }) => position).reverse();
  if ("error" in checked) return { ...checked.error, pos_chain: [...checked.error.pos_chain, ...outward] };
  const { program } = checked;
  for (const reference of program.references) {
    const position = program.source.position(reference.at);
    const failed = (error: string): PlError => ({ pos_chain: [position, ...outward], error: shortenedText(error) });
    const target = scripts.get(reference.script);
    if (target === undefined) return failed(`script ${reference.script} not found`);
    const names = [...path.map((step) => step.name), name];
    if (names.includes(reference.script)) {
      const circle = [...names, reference.script].join(" -> ");
      const closing = { ...position, file: names[0]! };
      return { pos_chain: [closing, position, ...outward], error: shortenedText(`circular dependency: ${circle}`) };
    }
    if (path.length >= maxDepth) return failed("nesting too deep");
    const error = visit(scripts, sound, reference.script, [...path, { name, position }]);
    if (error !== null) return error;
    const linked = (target as { program: Program }).program;
    reference.target = linked;
    program.state ||= linked.state;
    program.waits ||= linked.waits;
    for (const called of linked.calls) program.calls.add(called);
  }
  sound.add(name);
  return null;
}

/**
 * Runs a script that is linked to a call of `use`. The script uses the point of the current run, but has
 * variables of its own. When the script fails, the position that `caller` returns is added to the failure's call
 * chain.
 */
export function runLinked(reference: Reference, caller: () => Position, run: Run): void {
  const program = targetOf(reference);
  const outer = enter(program, run);
  try {
    program.body.direct(run);
  } catch (error) {
    throw traced(error, caller());
  } finally {
    leave(outer, run);
  }
}

/**
 * Runs a script that is linked to a call of `use`, as `runLinked` does, but in a run that may wait for HTTP answers.
 */
export function* runLinkedWaiting(
  reference: Reference,
  caller: () => Position,
  run: Run,
): Generator<Code<unknown>, void> {
  const program = targetOf(reference);
  const outer = enter(program, run);
  try {
    yield program.body;
  } catch (error) {
    throw traced(error, caller());
  } finally {
    leave(outer, run);
  }
}

function targetOf({ target, script }: Reference): Program {
  if (target === null) throw new Error(`${script} runs before it is linked`);
  return target;
}

type Outer = Pick<Run, "locals" | "exited">;

function enter({ slots }: Program, run: Run): Outer {
  const { locals, exited } = run;
  run.locals = new Array(slots).fill(undefined);
  run.exited = false;
  run.memory.callers.push(locals);
  return { locals, exited };
}

function leave({ locals, exited }: Outer, run: Run): void {
  run.locals = locals;
  run.exited = exited;
  run.memory.callers.pop();
}

function traced(error: unknown, caller: Position): unknown {
  if (error instanceof ScriptFailure) error.chain.push(caller);
  return error;
}

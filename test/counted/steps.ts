// Counts the steps that the library takes, in the WebAssembly module and in JavaScript together. Tests use it to
// check how much work a body can cause.
//
// The module counts its own steps (test/lib/wasm/count-steps.mjs). V8 counts the steps of JavaScript: one step
// each time a block of code under lib/ is entered, which includes each iteration of a loop and each call of a
// function. A built-in function counts one step for every 16 bytes or UTF-16 units that it processes (the module
// counts in the same way), and one for every element of a list.
//
// Files under lib/ must be imported after this file, because V8 does not count code that was compiled before the
// count began.

import { Session } from "node:inspector";

const session = new Session();
session.connect();

interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly { readonly ranges: readonly { readonly count: number }[] }[];
  }[];
}

function post<Answer>(method: string, params: object = {}): Answer {
  let answer: unknown;
  session.post(method, params, (error, result) => {
    if (error !== null) throw error;
    answer = result;
  });
  return answer as Answer;
}

post("Profiler.enable");
post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });

/** Returns the number of JavaScript code blocks that were entered since the last call. */
function blocks(): number {
  const { result } = post<Coverage>("Profiler.takePreciseCoverage");
  let sum = 0;
  for (const { url, functions } of result) {
    if (!/\/lib\/(?:point|regex|wasm)\//.test(url)) continue;
    for (const { ranges } of functions) for (const { count } of ranges) sum += count;
  }
  return sum;
}

const text = (units: unknown) => 1 + (String(units).length >>> 4);
const all = (list: unknown) => 1 + (list as ArrayLike<unknown>).length;
type Cost = (self: unknown, first: unknown, result: unknown) => number;
const ofSelf: Cost = (self) => text(self);
const ofFirst: Cost = (_, first) => text(first);
const ofList: Cost = (self) => all(self);
const ofBytes: Cost = (self) => 1 + ((self as Uint8Array).length >>> 4);

const typedArray: object = Object.getPrototypeOf(Uint8Array.prototype);

/**
 * Groups of built-in functions that process a string, buffer or list. Each group has a function that returns the number
 * of steps of a call.
 */
const builtIns: readonly (readonly [owner: object, names: readonly string[], cost: Cost])[] = [
  [String.prototype, ["slice", "substring"], (_self, _first, result) => text(result)],
  [String.prototype, ["includes", "indexOf", "replace", "replaceAll", "split", "match", "trim"], ofSelf],
  [RegExp.prototype, ["test"], ofFirst],
  // The library calls `exec` with sticky expressions, which read no further than the match. So the steps depend only on
  // the length of the match.
  [RegExp.prototype, ["exec"], (_self, _first, result) => text((result as RegExpExecArray | null)?.[0] ?? "")],
  [
    Array.prototype,
    ["slice", "splice", "indexOf", "includes", "concat", "join", "filter", "map", "every", "some"],
    ofList,
  ],
  [Array.prototype, ["find", "findIndex", "sort", "reverse", "shift", "unshift", "flatMap"], ofList],
  [typedArray, ["slice", "filter", "map", "fill", "includes", "indexOf"], ofBytes],
  [typedArray, ["set"], (_, first) => 1 + ((first as Uint8Array).length >>> 4)],
  [TextDecoder.prototype, ["decode"], (_, first) => 1 + ((first as Uint8Array).length >>> 4)],
  [TextEncoder.prototype, ["encode", "encodeInto"], ofFirst],
];

/** Returns the number of steps that `run` takes, including the steps that the WebAssembly module counts. */
export function stepsOf(run: () => void, inModule: () => number): number {
  let inBuiltIns = 0;
  const restore: (() => void)[] = [];
  blocks();
  const before = inModule();
  try {
    for (const [owner, names, cost] of builtIns) {
      for (const name of names) {
        const own = Object.getOwnPropertyDescriptor(owner, name)!;
        const plain = own.value as (...args: unknown[]) => unknown;
        const counted = function (this: unknown, ...args: unknown[]): unknown {
          const result = Reflect.apply(plain, this, args);
          inBuiltIns += cost(this, args[0], result);
          return result;
        };
        Object.defineProperty(owner, name, { ...own, value: counted });
        restore.push(() => Object.defineProperty(owner, name, own));
      }
    }
    run();
  } finally {
    for (const back of restore) back();
  }
  return blocks() + inModule() - before + inBuiltIns;
}

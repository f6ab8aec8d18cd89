// Passes settings to the WebAssembly module before it decodes or corrects points: current time, limits, and the rules
// of the category.

import type { WasmModule } from "../../wasm/module.ts";
import { refusedKey, requiredKey, settings } from "../../wasm/tape.ts";
import type { CategoryRules, Limits } from "../limits.ts";
import { nanosecondsIn } from "../precision.ts";

/** The rules and limits by which the points of a batch are corrected. */
export interface Corrected {
  readonly rules: CategoryRules;
  readonly limits: Limits;
}

/** Settings for decoding a body: how times are read, and whether equal tags in a line are an error. */
export interface ScanSettings {
  readonly precision?: string;
  readonly now: bigint;
  readonly strict?: boolean;
  /**
   * Whether the members of this object (except `now`), and the limits from which it was made, never change. When
   * the same object is then used for the next body, the settings need not be passed to the module again.
   */
  readonly isFixed?: boolean;
}

/** Passes the settings for decoding the batch's body, and for correcting its points, to the WebAssembly module. */
export function configure(module: WasmModule, base: number, corrected: Corrected, scanned: ScanSettings): void {
  module.settings = corrected;
  // Compares two bigints with `Object.is`. Usually both variables refer to the same object, and then the
  // comparison is fast, because Object.is compares addresses first.
  if (scanned.isFixed !== true || module.scanned !== scanned || !Object.is(module.scanTime, scanned.now)) {
    passSettings(module, corrected, scanned);
    module.scanned = scanned;
    module.scanTime = scanned.now;
  }
  const { refused, required } = corrected.rules;
  if (refused.length > 0 || required !== null) markKeys(module, base, corrected.rules);
}

function passSettings(module: WasmModule, { rules, limits }: Corrected, scanned: ScanSettings): void {
  let flags = scanned.strict === true ? settings.strict : 0;
  if (rules.dropStrings) flags |= settings.dropsStrings;
  if (rules.replaceDots) flags |= settings.replacesDots;
  if (limits.noUint === true) flags |= settings.dropsUint;
  if (rules.requiredOfTags) flags |= settings.requiredOfTags;
  const precision = scanned.precision ?? "";
  module.exports.configure(
    scanned.now,
    precision === "" ? 0n : nanosecondsIn(precision),
    flags,
    bound(limits.maxTags),
    bound(limits.maxFields),
    bound(limits.maxTagKey),
    bound(limits.maxFieldKey),
    bound(limits.maxTagValue),
    bound(limits.maxFieldValue),
    bound(limits.maxMeasurement),
  );
}

/** Marks, in the batch's table of keys, the keys that the rules of the category refuse or require. */
function markKeys(module: WasmModule, base: number, rules: CategoryRules): void {
  const { exports, scratch } = module;
  const mark = (key: string, flag: number): number => {
    // Each call of `markKey` may grow the WebAssembly memory, because a batch gets its key table with its first key. So
    // the JavaScript views of the memory are renewed before each call.
    module.refresh();
    return exports.markKey(base, scratch, module.write(key, scratch), flag);
  };
  for (const key of rules.refused) mark(key, refusedKey);
  if (rules.required !== null) {
    const [key, text] = rules.required;
    const id = mark(key, requiredKey);
    const address = exports.heapTake(base, text.length * 3) >>> 0;
    module.refresh();
    exports.require(id, address, module.write(text, address));
  }
}

/** Returns a limit as the WebAssembly module expects it: 0 and negative numbers mean that there is no limit. */
function bound(limit: number): number {
  return limit > 0 ? limit : 0xffffffff;
}

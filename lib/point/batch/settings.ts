// Sets what the module needs before it scans or corrects points: times, limits and the category's rules.

import type { WasmModule } from "../../wasm/module.ts";
import { refusedKey, requiredKey, settings } from "../../wasm/tape.ts";
import type { CategoryRules, Limits } from "../limits.ts";
import { nanosecondsIn } from "../precision.ts";

/** The rules and limits for the points of a batch. */
export interface Corrected {
  readonly rules: CategoryRules;
  readonly limits: Limits;
}

/** How times are read, and whether equal tags in a line are an error. */
export interface ScanSettings {
  readonly precision?: string;
  readonly now: bigint;
  readonly strict?: boolean;
}

/** Sets the module's settings for the next scan of a batch and for its corrections. */
export function configure(module: WasmModule, base: number, corrected: Corrected, scanned: ScanSettings): void {
  const { rules, limits } = corrected;
  const { exports, scratch } = module;
  module.settings = corrected;
  let flags = scanned.strict === true ? settings.strict : 0;
  if (rules.dropStrings) flags |= settings.dropsStrings;
  if (rules.replaceDots) flags |= settings.replacesDots;
  if (limits.noUint === true) flags |= settings.dropsUint;
  if (rules.requiredOfTags) flags |= settings.requiredOfTags;
  const precision = scanned.precision ?? "";
  exports.configure(
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
  const mark = (key: string, flag: number): number => {
    // Every call may grow the memory, because a batch's key table is made with its first key.
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

/** Returns the bound of a limit: 0 and below switch the limit off. */
function bound(limit: number): number {
  return limit > 0 ? limit : 0xffffffff;
}

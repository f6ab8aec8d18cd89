// Makes a variant of the shipped WebAssembly module that counts its steps, for tests. Each iteration of a loop
// is one step, and every 16 bytes that a bulk operation copies or fills are one step. The exported global
// `steps` contains the number of steps.
//
// Usage: node count-steps.mjs MODULE RESULT

import { readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import binaryen from "binaryen";

const [, , from, to] = process.argv;
const shipped = binaryen.readBinary(readFileSync(from));
const text = shipped.emitText();

const add = (count) => `(global.set $steps (i64.add (global.get $steps) ${count}))`;
const bulk = (name) => `(func $counted.${name} (param $a i32) (param $b i32) (param $size i32)
  ${add("(i64.extend_i32_u (i32.shr_u (local.get $size) (i32.const 4)))")}
  (memory.${name} (local.get $a) (local.get $b) (local.get $size)))`;

const counted = text
  .replace(/\(loop(?: \$[^\s()]+)?(?: \(result [^)]*\))?/g, (loop) => `${loop} ${add("(i64.const 1)")}`)
  .replace(/\(memory\.(copy|fill)\b/g, "(call $counted.$1")
  .replace(
    /\)\s*$/,
    `(global $steps (mut i64) (i64.const 0)) (export "steps" (global $steps)) ${bulk("copy")} ${bulk("fill")})`,
  );
const result = binaryen.parseText(counted);
result.setFeatures(binaryen.Features.All);
if (!result.validate()) throw new Error("the counting module is not valid");
writeFileSync(to, result.emitBinary());

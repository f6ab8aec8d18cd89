// The version of the WebAssembly interface that docs/reference/wasm-abi.md describes: the exports, and the layouts of
// tape/layout.ts. The version increases when a change would make a host that was written for the old version misread
// something. A new export, flag or status code does not change the version.

const ABI_VERSION: u32 = 4;

export function abiVersion(): u32 {
  return ABI_VERSION;
}

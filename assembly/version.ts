// The version of what docs/reference/wasm-abi.md promises: the exports and the layouts of tape/layout.ts. It counts up when one of them changes
// so that a host written for the old one would misread; an export, a flag or a status code that is added leaves it.

const ABI_VERSION: u32 = 4;

export function abiVersion(): u32 {
  return ABI_VERSION;
}

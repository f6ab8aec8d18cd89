// The exports of a module with their types, read from its binary form: the JavaScript API tells names, kinds and arity only.
// WebAssembly Core Specification 2.0, section 5.5 (modules): type section 1, import 2, function 3, export 7.

const typeNames: Readonly<Record<number, string>> = {
  127: "i32",
  126: "i64",
  125: "f32",
  124: "f64",
  123: "v128",
};
const kindNames = ["function", "table", "memory", "global"] as const;

/** `(i32, i64) -> i32` for a function, else the kind of export, by name. The module must import no functions. */
export function signaturesOf(wasm: ArrayBuffer): Map<string, string> {
  const bytes = new Uint8Array(wasm);
  let at = 8;
  const u32 = (): number => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++]!;
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  };
  const list = <T>(read: () => T): T[] => Array.from({ length: u32() }, read);
  const valueType = (): string => typeNames[bytes[at++]!] ?? "?";
  const functionType = (): string => {
    at++;
    const [params, results] = [list(valueType), list(valueType)];
    return `(${params.join(", ")})${results.length > 0 ? ` -> ${results.join(", ")}` : ""}`;
  };
  let types: string[] = [];
  let functions: number[] = [];
  const signatures = new Map<string, string>();
  while (at < bytes.length) {
    const section = bytes[at++]!;
    const size = u32();
    const end = at + size;
    if (section === 1) types = list(functionType);
    else if (section === 3) functions = list(u32);
    else if (section === 7) {
      list(() => {
        const length = u32();
        const name = new TextDecoder().decode(bytes.subarray(at, (at += length)));
        const kind = kindNames[bytes[at++]!]!;
        const index = u32();
        signatures.set(name, kind === "function" ? types[functions[index]!]! : kind);
      });
    }
    at = end;
  }
  return signatures;
}

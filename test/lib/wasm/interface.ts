// Reads the imports and exports of a WebAssembly module with their types from its binary format, because the
// JavaScript API does not return the types. Follows WebAssembly Core Specification 2.0 (modules in binary
// format), where the sections of types, imports, functions and exports have the ids 1, 2, 3 and 7.

const typeNames: Readonly<Record<number, string>> = {
  127: "i32",
  126: "i64",
  125: "f32",
  124: "f64",
  123: "v128",
};
const kindNames = ["function", "table", "memory", "global"] as const;

export interface ModuleInterface {
  /**
   * The imports by `module.name`. The value is the signature of a function, such as `(i32, i64) -> i32`; for any other
   * import, it is the kind of the import.
   */
  readonly imports: ReadonlyMap<string, string>;
  /** The exports by name. The value is the signature of a function, or else the kind of the export. */
  readonly exports: ReadonlyMap<string, string>;
}

/** Parses the binary format of a module. All imports of the module must be functions. */
export function interfaceOf(wasm: ArrayBuffer): ModuleInterface {
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
  const text = (): string => {
    const length = u32();
    return new TextDecoder().decode(bytes.subarray(at, (at += length)));
  };
  const valueType = (): string => typeNames[bytes[at++]!] ?? "?";
  const functionType = (): string => {
    at++;
    const [params, results] = [list(valueType), list(valueType)];
    return `(${params.join(", ")})${results.length > 0 ? ` -> ${results.join(", ")}` : ""}`;
  };
  let types: string[] = [];
  /** Signatures of all functions of the module, the imported functions first. */
  const functions: string[] = [];
  const imports = new Map<string, string>();
  const exports = new Map<string, string>();
  const readImport = (): void => {
    const name = `${text()}.${text()}`;
    const kind = kindNames[bytes[at++]!]!;
    if (kind !== "function") throw new Error(`the module imports ${name}, a ${kind}`);
    const type = types[u32()]!;
    functions.push(type);
    imports.set(name, type);
  };
  const readExport = (): void => {
    const name = text();
    const kind = kindNames[bytes[at++]!]!;
    const index = u32();
    exports.set(name, kind === "function" ? functions[index]! : kind);
  };
  while (at < bytes.length) {
    const section = bytes[at++]!;
    const size = u32();
    const end = at + size;
    if (section === 1) types = list(functionType);
    else if (section === 2) list(readImport);
    else if (section === 3) functions.push(...list(() => types[u32()]!));
    else if (section === 7) list(readExport);
    at = end;
  }
  return { imports, exports };
}

// Writes the binary format of a WebAssembly module with one function, which works on an imported memory (WebAssembly
// core specification, chapter 5).

/** The codes of the instructions that the generated code uses. */
export const code = {
  block: 0x02,
  loop: 0x03,
  if: 0x04,
  else: 0x05,
  end: 0x0b,
  br: 0x0c,
  brIf: 0x0d,
  brTable: 0x0e,
  return: 0x0f,
  get: 0x20,
  set: 0x21,
  tee: 0x22,
  load: 0x28,
  load8: 0x2d,
  store: 0x36,
  i32: 0x41,
  eqz: 0x45,
  eq: 0x46,
  ne: 0x47,
  ltS: 0x48,
  ltU: 0x49,
  geU: 0x4f,
  ctz: 0x68,
  add: 0x6a,
  sub: 0x6b,
  and: 0x71,
  xor: 0x73,
} as const;

/** The codes of the instructions on vectors of 16 bytes. */
export const simd = {
  load: 0,
  swizzle: 14,
  eq: 35,
  leU: 42,
  and: 78,
  or: 80,
  bitmask: 100,
  shrU: 109,
  sub: 113,
} as const;

/** The target of a jump: a block, given as the number of blocks that contain it. */
export type Label = number;

const VOID = 0x40;
const I32 = 0x7f;
const V128 = 0x7b;

export class FunctionWriter {
  private readonly bytes: number[] = [];
  private depth = 0;

  /** Writes an instruction with unsigned operands, such as the index of a local variable. */
  put(instruction: number, ...operands: number[]): this {
    this.bytes.push(instruction);
    for (const operand of operands) unsigned(this.bytes, operand);
    return this;
  }

  /**
   * Opens a block and returns its label. A jump to the label goes to the end of a `block` or `if`, or to the start of a
   * `loop`.
   */
  begin(instruction: typeof code.block | typeof code.loop | typeof code.if): Label {
    this.bytes.push(instruction, VOID);
    return this.depth++;
  }

  end(): this {
    this.depth--;
    return this.put(code.end);
  }

  br(label: Label): this {
    return this.put(code.br, this.depth - 1 - label);
  }

  brIf(label: Label): this {
    return this.put(code.brIf, this.depth - 1 - label);
  }

  get(local: number): this {
    return this.put(code.get, local);
  }

  set(local: number): this {
    return this.put(code.set, local);
  }

  tee(local: number): this {
    return this.put(code.tee, local);
  }

  const(value: number): this {
    this.bytes.push(code.i32);
    signed(this.bytes, value | 0);
    return this;
  }

  load(offset = 0): this {
    return this.put(code.load, 0, offset);
  }

  load8(offset = 0): this {
    return this.put(code.load8, 0, offset);
  }

  store(offset = 0): this {
    return this.put(code.store, 0, offset);
  }

  simd(instruction: number): this {
    this.bytes.push(0xfd);
    unsigned(this.bytes, instruction);
    return this;
  }

  /** Writes an instruction that loads the 16 bytes at the address on the stack. */
  loadVector(): this {
    return this.simd(simd.load).operands(0, 0);
  }

  /**
   * Writes instructions that load the 16 bytes at a fixed address. These instructions take fewer bytes than a vector
   * constant.
   */
  vectorAt(address: number): this {
    return this.const(0).simd(simd.load).operands(0, address);
  }

  /** Writes a jump to one of several labels; the number on top of the stack chooses the label. */
  brTable(labels: readonly Label[]): this {
    this.bytes.push(code.brTable);
    unsigned(this.bytes, labels.length - 1);
    for (const label of labels) unsigned(this.bytes, this.depth - 1 - label);
    return this;
  }

  private operands(...operands: number[]): this {
    for (const operand of operands) unsigned(this.bytes, operand);
    return this;
  }

  /**
   * Returns the binary of the module. Its function takes `parameters` i32 values and returns an i32; its local
   * variables are vectors (v128), then i32. The memory is imported under the name `m.m`.
   */
  module(parameters: number, vectors: number, locals: number): Uint8Array<ArrayBuffer> {
    const body: number[] = [];
    unsigned(body, 2);
    unsigned(body, vectors);
    body.push(V128);
    unsigned(body, locals);
    body.push(I32);
    for (const byte of this.bytes) body.push(byte);
    body.push(code.end);
    const result: number[] = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0];
    section(result, 1, [1, 0x60, parameters, ...new Array<number>(parameters).fill(I32), 1, I32]);
    section(result, 2, [1, 1, 0x6d, 1, 0x6d, 2, 0, 1]);
    section(result, 3, [1, 0]);
    section(result, 7, [1, 1, 0x66, 0, 0]);
    const size: number[] = [1];
    unsigned(size, body.length);
    section(result, 10, size.concat(body));
    return Uint8Array.from(result);
  }
}

function section(into: number[], id: number, content: readonly number[]): void {
  into.push(id);
  unsigned(into, content.length);
  for (const byte of content) into.push(byte);
}

function unsigned(into: number[], value: number): void {
  let rest = value >>> 0;
  while (rest > 0x7f) {
    into.push((rest & 0x7f) | 0x80);
    rest >>>= 7;
  }
  into.push(rest);
}

function signed(into: number[], value: number): void {
  let rest = value;
  for (;;) {
    const low = rest & 0x7f;
    rest >>= 7;
    if ((rest === 0 && (low & 0x40) === 0) || (rest === -1 && (low & 0x40) !== 0)) {
      into.push(low);
      return;
    }
    into.push(low | 0x80);
  }
}

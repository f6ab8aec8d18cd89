// MD5 (RFC 1321), SHA-1, SHA-256 and SHA-512 (FIPS 180-4) as synchronous functions, because the digest functions of the
// web platform are asynchronous.

function hex(words: readonly number[]): string {
  return words.map((word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}

/**
 * Returns the message with its padding (a 1 bit, zeros, and the length in bits) as two views. The first view has
 * the whole blocks of the message, without copying them; the second has the last bytes of the message and the
 * padding.
 */
function paddedMessage(bytes: Uint8Array, block: number, littleEndian: boolean): readonly DataView[] {
  const whole = bytes.length - (bytes.length % block);
  const lengthBytes = block / 8;
  const rest = new Uint8Array(Math.ceil((bytes.length - whole + 1 + lengthBytes) / block) * block);
  rest.set(bytes.subarray(whole));
  rest[bytes.length - whole] = 0x80;
  const view = new DataView(rest.buffer);
  const at = littleEndian ? rest.length - lengthBytes : rest.length - 8;
  view.setBigUint64(at, BigInt(bytes.length) * 8n, littleEndian);
  return [new DataView(bytes.buffer, bytes.byteOffset, whole), view];
}

const rotateLeft = (value: number, by: number) => (value << by) | (value >>> (32 - by));
const rotateRight = (value: number, by: number) => (value >>> by) | (value << (32 - by));

const MD5_SHIFTS = [7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21];
const MD5_SINES = Array.from({ length: 64 }, (_, i) => Math.floor(Math.abs(Math.sin(i + 1)) * 2 ** 32) | 0);

export function md5(bytes: Uint8Array): string {
  let [a0, b0, c0, d0] = [0x67452301, 0xefcdab89 | 0, 0x98badcfe | 0, 0x10325476];
  for (const view of paddedMessage(bytes, 64, true)) {
    for (let block = 0; block < view.byteLength; block += 64) {
      let [a, b, c, d] = [a0, b0, c0, d0];
      for (let i = 0; i < 64; i++) {
        const round = i >> 4;
        const f = [(b & c) | (~b & d), (d & b) | (~d & c), b ^ c ^ d, c ^ (b | ~d)][round] as number;
        const word = [i, (5 * i + 1) % 16, (3 * i + 5) % 16, (7 * i) % 16][round] as number;
        const sum = (a + f + (MD5_SINES[i] as number) + view.getInt32(block + word * 4, true)) | 0;
        [a, d, c] = [d, c, b];
        b = (b + rotateLeft(sum, MD5_SHIFTS[round * 4 + (i % 4)] as number)) | 0;
      }
      [a0, b0, c0, d0] = [(a0 + a) | 0, (b0 + b) | 0, (c0 + c) | 0, (d0 + d) | 0];
    }
  }
  const result = new DataView(new ArrayBuffer(16));
  [a0, b0, c0, d0].forEach((word, i) => {
    result.setInt32(i * 4, word, true);
  });
  return hex([0, 4, 8, 12].map((at) => result.getInt32(at)));
}

export function sha1(bytes: Uint8Array): string {
  let state = [0x67452301, 0xefcdab89 | 0, 0x98badcfe | 0, 0x10325476, 0xc3d2e1f0 | 0] as [
    number,
    number,
    number,
    number,
    number,
  ];
  const w = new Int32Array(80);
  for (const view of paddedMessage(bytes, 64, false)) {
    for (let block = 0; block < view.byteLength; block += 64) {
      for (let i = 0; i < 16; i++) w[i] = view.getInt32(block + i * 4);
      for (let i = 16; i < 80; i++)
        w[i] = rotateLeft(
          (w[i - 3] as number) ^ (w[i - 8] as number) ^ (w[i - 14] as number) ^ (w[i - 16] as number),
          1,
        );
      let [a, b, c, d, e] = state;
      for (let i = 0; i < 80; i++) {
        const [f, k] =
          i < 20
            ? [(b & c) | (~b & d), 0x5a827999]
            : i < 40
              ? [b ^ c ^ d, 0x6ed9eba1]
              : i < 60
                ? [(b & c) | (b & d) | (c & d), 0x8f1bbcdc]
                : [b ^ c ^ d, 0xca62c1d6];
        const next = (rotateLeft(a, 5) + f + e + k + (w[i] as number)) | 0;
        [e, d, c, b, a] = [d, c, rotateLeft(b, 30), a, next];
      }
      state = [state[0] + a, state[1] + b, state[2] + c, state[3] + d, state[4] + e].map(
        (word) => word | 0,
      ) as typeof state;
    }
  }
  return hex(state);
}

/**
 * Returns the first 64 bits of the fractional part of the square root or cube root of a prime. SHA-256 and SHA-512 use
 * these numbers as constants.
 */
function rootFraction(prime: number, cube: boolean): bigint {
  // The loop computes floor(root(prime) * 2^64), the square or cube root with 64 fractional bits, by Newton's method on
  // integers.
  const target = cube ? BigInt(prime) << 192n : BigInt(prime) << 128n;
  let x = 1n << 68n;
  for (;;) {
    const next = cube ? (2n * x + target / (x * x)) / 3n : (x + target / x) / 2n;
    if (next >= x) return x & 0xffffffffffffffffn;
    x = next;
  }
}

function firstPrimes(count: number): readonly number[] {
  const primes: number[] = [];
  for (let n = 2; primes.length < count; n++) if (primes.every((prime) => n % prime !== 0)) primes.push(n);
  return primes;
}

let constants: { readonly k: readonly bigint[]; readonly h: readonly bigint[] } | null = null;

function sha2Constants() {
  if (constants !== null) return constants;
  const primes = firstPrimes(80);
  constants = {
    k: primes.map((prime) => rootFraction(prime, true)),
    h: primes.slice(0, 8).map((prime) => rootFraction(prime, false)),
  };
  return constants;
}

let constants32: { readonly k: Int32Array; readonly h: readonly number[] } | null = null;

/** Returns the constants of SHA-256: the upper halves of the 64-bit constants that SHA-512 uses. */
function sha256Constants() {
  const upper = (constant: bigint) => Number(constant >> 32n) | 0;
  constants32 ??= {
    k: Int32Array.from(sha2Constants().k.slice(0, 64), upper),
    h: sha2Constants().h.map(upper),
  };
  return constants32;
}

export function sha256(bytes: Uint8Array): string {
  const { k, h: initial } = sha256Constants();
  const state = [...initial];
  const w = new Int32Array(64);
  const at = (i: number) => w[i] as number;
  for (const view of paddedMessage(bytes, 64, false)) {
    for (let block = 0; block < view.byteLength; block += 64) {
      for (let i = 0; i < 16; i++) w[i] = view.getInt32(block + i * 4);
      for (let i = 16; i < 64; i++) {
        const s0 = rotateRight(at(i - 15), 7) ^ rotateRight(at(i - 15), 18) ^ (at(i - 15) >>> 3);
        const s1 = rotateRight(at(i - 2), 17) ^ rotateRight(at(i - 2), 19) ^ (at(i - 2) >>> 10);
        w[i] = at(i - 16) + s0 + at(i - 7) + s1;
      }
      let [a, b, c, d, e, f, g, h] = state as [number, number, number, number, number, number, number, number];
      for (let i = 0; i < 64; i++) {
        const s1 = rotateRight(e, 6) ^ rotateRight(e, 11) ^ rotateRight(e, 25);
        const first = (h + s1 + ((e & f) ^ (~e & g)) + (k[i] as number) + at(i)) | 0;
        const s0 = rotateRight(a, 2) ^ rotateRight(a, 13) ^ rotateRight(a, 22);
        const second = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
        [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
      }
      [a, b, c, d, e, f, g, h].forEach((word, i) => {
        state[i] = ((state[i] as number) + word) | 0;
      });
    }
  }
  return hex(state);
}

export function sha512(bytes: Uint8Array): string {
  const { k, h: initial } = sha2Constants();
  const state = [...initial];
  const wrap = (value: bigint) => BigInt.asUintN(64, value);
  const rotate = (value: bigint, by: bigint) => wrap((value >> by) | (value << (64n - by)));
  const w: bigint[] = [];
  const at = (i: number) => w[i] as bigint;
  for (const view of paddedMessage(bytes, 128, false)) {
    for (let block = 0; block < view.byteLength; block += 128) {
      for (let i = 0; i < 16; i++) w[i] = view.getBigUint64(block + i * 8);
      for (let i = 16; i < 80; i++) {
        const s0 = rotate(at(i - 15), 1n) ^ rotate(at(i - 15), 8n) ^ (at(i - 15) >> 7n);
        const s1 = rotate(at(i - 2), 19n) ^ rotate(at(i - 2), 61n) ^ (at(i - 2) >> 6n);
        w[i] = wrap(at(i - 16) + s0 + at(i - 7) + s1);
      }
      let [a, b, c, d, e, f, g, h] = state as [bigint, bigint, bigint, bigint, bigint, bigint, bigint, bigint];
      for (let i = 0; i < 80; i++) {
        const s1 = rotate(e, 14n) ^ rotate(e, 18n) ^ rotate(e, 41n);
        const first = h + s1 + ((e & f) ^ (wrap(~e) & g)) + (k[i] as bigint) + at(i);
        const s0 = rotate(a, 28n) ^ rotate(a, 34n) ^ rotate(a, 39n);
        const second = s0 + ((a & b) ^ (a & c) ^ (b & c));
        [h, g, f, e, d, c, b, a] = [g, f, e, wrap(d + first), c, b, a, wrap(first + second)];
      }
      [a, b, c, d, e, f, g, h].forEach((word, i) => {
        state[i] = wrap((state[i] as bigint) + word);
      });
    }
  }
  return state.map((word) => word.toString(16).padStart(16, "0")).join("");
}

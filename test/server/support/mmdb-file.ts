// Writes a database file in the MaxMind format (version 2.0) with one IPv4 network: a binary tree of 24-bit records, 16
// zero bytes, the data section, and the metadata after its marker.

export type MmdbValue = string | number | readonly MmdbValue[] | { readonly [name: string]: MmdbValue };

const types = { string: 2, uint32: 6, map: 7, array: 11 };
const separator = 16;
const longest = 28;

export function mmdbFile(network: string, record: MmdbValue): Buffer {
  const [address, length] = network.split("/");
  const value = address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
  const nodeCount = Number(length);
  const tree = Buffer.alloc(nodeCount * 6);
  for (let node = 0; node < nodeCount; node++) {
    const bit = Math.floor(value / 2 ** (31 - node)) % 2;
    const next = node + 1 < nodeCount ? node + 1 : nodeCount + separator;
    tree.writeUIntBE(bit === 0 ? next : nodeCount, node * 6, 3);
    tree.writeUIntBE(bit === 1 ? next : nodeCount, node * 6 + 3, 3);
  }
  const metadata = {
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: 1_700_000_000,
    database_type: "Test",
    description: {},
    ip_version: 4,
    languages: ["en"],
    node_count: nodeCount,
    record_size: 24,
  };
  const marker = Buffer.from("\xab\xcd\xefMaxMind.com", "latin1");
  return Buffer.concat([tree, Buffer.alloc(separator), encoded(record), marker, encoded(metadata)]);
}

function encoded(value: MmdbValue): Buffer {
  if (typeof value === "string") {
    const bytes = Buffer.from(value);
    return Buffer.concat([control(types.string, bytes.length), bytes]);
  }
  if (typeof value === "number") {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value);
    return Buffer.concat([control(types.uint32, 4), bytes]);
  }
  if (Array.isArray(value)) return Buffer.concat([control(types.array, value.length), ...value.map(encoded)]);
  const members = Object.entries(value);
  return Buffer.concat([control(types.map, members.length), ...members.flat().map(encoded)]);
}

/** Returns the control bytes before a value, which contain its type and size. A type above 7 needs a second byte. */
function control(type: number, size: number): Buffer {
  if (size > longest) throw new RangeError(`${size} is longer than a short value may be`);
  return Buffer.from(type > 7 ? [size, type - 7] : [(type << 5) | size]);
}

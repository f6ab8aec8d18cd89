// MD5, SHA-1, SHA-2 and similar digests without the crypto of a host, for script functions and ids. In: bytes. Out: a
// digest in hexadecimal.

export { md5, sha256 } from "./digests.ts";

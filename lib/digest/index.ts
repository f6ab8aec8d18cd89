// MD5, SHA-1, SHA-2 and similar digests, for script functions and ids. The code does not use the digest functions of
// the host (browser or Node). In: bytes. Out: a digest in hexadecimal.

export { md5, sha256 } from "./digests.ts";

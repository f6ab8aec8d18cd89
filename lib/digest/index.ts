// MD5, SHA-1, SHA-2 and similar digests without the digest functions of the platform, for script functions and ids. In:
// bytes. Out: a digest in hexadecimal.

export { md5, sha256 } from "./digests.ts";

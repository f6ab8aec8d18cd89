// Digests such as MD5, SHA-1 and SHA-2, for script functions and ids. The functions take bytes and return a
// digest in hexadecimal. They do not use the digest functions of the host (browser or Node).

export { md5, sha256 } from "./digests.ts";

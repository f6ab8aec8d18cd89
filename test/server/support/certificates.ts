// Makes certificates for a test: a certificate authority, certificates that it signs, and self-signed certificates.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

export interface Certificates {
  /** The path of the authority's certificate. */
  readonly authority: string;
  readonly key: Buffer;
  /** The certificate of a server at 127.0.0.1, signed by the authority. */
  readonly cert: Buffer;
  /** The paths of the server's key and certificate. */
  readonly files: { readonly key: string; readonly cert: string };
  remove(): void;
}

const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout"];

function newFolder() {
  const folder = mkdtempSync(path.join(tmpdir(), "millrace-certificates-"));
  return {
    at: (name: string) => path.join(folder, name),
    openssl: (...args: string[]) => void execFileSync("openssl", args, { cwd: folder, stdio: "ignore" }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/**
 * Makes a certificate authority, and a server certificate for 127.0.0.1 that the authority signs. `name` is the common
 * name in the server certificate.
 */
export function makeCertificates(name = "gateway"): Certificates {
  const { at, openssl, remove } = newFolder();
  openssl("req", "-x509", ...newKey, "ca-key.pem", "-days", "2", "-subj", "/CN=test authority", "-out", "ca.pem");
  openssl("req", ...newKey, "key.pem", "-subj", `/CN=${name}`, "-out", "request.pem");
  writeFileSync(at("extensions"), "subjectAltName=IP:127.0.0.1\n");
  const signing = ["-CA", "ca.pem", "-CAkey", "ca-key.pem", "-CAcreateserial", "-extfile", "extensions"];
  openssl("x509", "-req", "-in", "request.pem", ...signing, "-days", "2", "-out", "cert.pem");
  return {
    authority: at("ca.pem"),
    key: readFileSync(at("key.pem")),
    cert: readFileSync(at("cert.pem")),
    files: { key: at("key.pem"), cert: at("cert.pem") },
    remove,
  };
}

/** Makes a self-signed certificate that serves as authority, server and client at once. */
export function selfSigned(name: string, address: string): { readonly cert: string; readonly key: string } {
  const { at, openssl, remove } = newFolder();
  const named = ["-subj", `/CN=${name}`, "-addext", `subjectAltName=IP:${address}`];
  openssl("req", "-x509", ...newKey, "key.pem", "-days", "2", ...named, "-out", "cert.pem");
  const made = { cert: readFileSync(at("cert.pem"), "utf8"), key: readFileSync(at("key.pem"), "utf8") };
  remove();
  return made;
}

// A certificate authority of a test's own, and what it signs.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

export interface Certificates {
  /** File of the authority's certificate. */
  readonly authority: string;
  readonly key: Buffer;
  /** Of a server at 127.0.0.1, signed by the authority. */
  readonly cert: Buffer;
  /** Of both. */
  readonly files: { readonly key: string; readonly cert: string };
  remove(): void;
}

/** `name`: of the server. */
export function makeCertificates(name = "gateway"): Certificates {
  const folder = mkdtempSync(path.join(tmpdir(), "millrace-certificates-"));
  const at = (name: string) => path.join(folder, name);
  const openssl = (...args: string[]) => execFileSync("openssl", args, { cwd: folder, stdio: "ignore" });
  const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout"];
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
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

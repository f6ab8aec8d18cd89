// A mistake in a TLS file is a mistake of the configuration: `millrace config check` reports it, and no service starts.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Certificates, makeCertificates } from "../support/certificates.ts";
import { millrace } from "../support/millrace.ts";

describe.each(["http_api", "gateway_api"])("[%s.tls]", (table) => {
  let own: Certificates;
  let other: Certificates;
  let folder: string;
  beforeAll(() => {
    own = makeCertificates();
    other = makeCertificates();
    folder = mkdtempSync(path.join(tmpdir(), "millrace-tls-"));
    writeFileSync(path.join(folder, "text.pem"), "no certificate");
  });
  afterAll(() => {
    own.remove();
    other.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  it.each([
    ["CERT", "KEY", "", 0],
    ["CERT", "KEY.typo", `:3: ${table}.tls.privkey must be a file that can be read, got the text ".*KEY.typo"`, 1],
    ["CERT.typo", "KEY", `:2: ${table}.tls.cert must be a file that can be read, got the text ".*CERT.typo"`, 1],
    ["FOLDER", "KEY", `:2: ${table}.tls.cert must be a file that can be read`, 1],
    ["CERT", "", `:2: ${table}.tls.cert needs ${table}.tls.privkey beside it`, 1],
    ["", "KEY", `:3: ${table}.tls.privkey needs ${table}.tls.cert beside it`, 1],
    ["FOLDER/text.pem", "KEY", `:2: ${table}.tls.cert and ${table}.tls.privkey cannot be used together: .*PEM`, 1],
    ["OTHER", "KEY", `:2: ${table}.tls.cert and ${table}.tls.privkey cannot be used together: .*mismatch`, 1],
    ["CERT", "CERT", `:2: ${table}.tls.cert and ${table}.tls.privkey cannot be used together: `, 1],
  ])("config check accepts or refuses cert %j with privkey %j", async (cert, key, mistake, code) => {
    const filled = (text: string) =>
      text
        .replace("CERT", own.files.cert)
        .replace("KEY", own.files.key)
        .replace("OTHER", other.files.cert)
        .replace("FOLDER", folder);
    const file = path.join(folder, "agent.toml");
    writeFileSync(file, `[${table}.tls]\ncert = "${filled(cert)}"\nprivkey = "${filled(key)}"\n`);
    const checked = await millrace(["config", "check", file]);
    expect(checked.code).toBe(code);
    if (code === 0) expect(checked.out).toBe(`${file}: good\n`);
    else expect(checked.out).toMatch(new RegExp(`^error: ${file}${filled(mistake)}`));
  });
});

// The error messages of `millrace doctor` and `millrace monitor` about a wrong --to (the agent's address) or --ca (the
// certificate authority).

import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Server } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { askPlace, placeOf } from "../../../server/cli/agent-place.ts";
import { makeCertificates } from "../support/certificates.ts";

async function portOf(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

function certificatesOfTest() {
  const certificates = makeCertificates();
  onTestFinished(certificates.remove);
  return certificates;
}

it("reports which scheme is right, and that the certificate is of another authority", async () => {
  const { files, authority } = certificatesOfTest();
  const plain = await portOf(createServer((_, response) => response.end("plain")));
  const tls = await portOf(
    createTlsServer({ key: readFileSync(files.key), cert: readFileSync(files.cert) }, (_, response) =>
      response.end("tls"),
    ),
  );
  const asked = async (to: string, ca?: string) =>
    await askPlace(placeOf(to, ca), "/").catch((error: Error) => error.message);
  expect(await asked(`http://127.0.0.1:${plain}`)).toBe("plain");
  expect(await asked(`https://127.0.0.1:${tls}`, authority)).toBe("tls");
  expect(await asked(`https://127.0.0.1:${plain}`)).toBe(
    "it speaks no TLS there; http:// in place of https:// may help",
  );
  expect(await asked(`http://127.0.0.1:${tls}`)).toMatch(
    /; if it speaks TLS there, https:\/\/ in place of http:\/\/ helps$/,
  );
  for (const ca of [undefined, certificatesOfTest().authority])
    expect(await asked(`https://127.0.0.1:${tls}`, ca)).toMatch(/--ca FILE names that which signed it$/);
});

it.each<[to: string, ca: string | undefined, mistake: string | RegExp]>([
  ["localhost", undefined, "--to: localhost is no host:port"],
  ["localhost:65536", undefined, "--to: localhost:65536 has no port that there is"],
  ["http://localhost:1", "package.json", "--ca: needs --to https://host:port"],
  ["https://localhost:1", "package.json", "--ca: package.json is no certificate in PEM"],
  ["https://localhost:1", "/does/not/exist", /^--ca: ENOENT: .*\/does\/not\/exist/],
])("--to %s --ca %s is a mistake", (to, ca, mistake) => {
  expect(() => placeOf(to, ca)).toThrow(mistake);
});

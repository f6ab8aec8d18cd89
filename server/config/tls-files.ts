// Checks the settings for TLS files: a certificate and its private key must be configured together and match
// each other. A wrong setting stops the start, because otherwise a listener that should use TLS would use plain
// HTTP.

import { readFileSync } from "node:fs";
import { createSecureContext } from "node:tls";
import type { SettingName } from "./schema.ts";

const pairs: readonly (readonly [cert: SettingName, key: SettingName])[] = [
  ["http_api.tls.cert", "http_api.tls.privkey"],
  ["gateway_api.tls.cert", "gateway_api.tls.privkey"],
  ["inputs.otlp_grpc.tls_cert", "inputs.otlp_grpc.tls_key"],
];

/**
 * Returns the mistakes in the TLS files. `placeOf` returns the beginning of the error message about a setting:
 * the name of the configuration file and the line that sets the setting, or an empty string when the file does
 * not set it.
 */
export function tlsMistakes(
  values: Readonly<Record<string, unknown>>,
  placeOf: (name: string, text: string) => string,
): string[] {
  return pairs.flatMap(([certName, keyName]) => {
    const [cert, key] = [values[certName] as string, values[keyName] as string];
    if (cert === "" && key === "") return [];
    if (key === "") return [`${placeOf(certName, cert)}${certName} needs ${keyName} beside it`];
    if (cert === "") return [`${placeOf(keyName, key)}${keyName} needs ${certName} beside it`];
    try {
      createSecureContext({ cert: readFileSync(cert), key: readFileSync(key) });
      return [];
    } catch (error) {
      const { message } = error as Error;
      return [`${placeOf(certName, cert)}${certName} and ${keyName} cannot be used together: ${message}`];
    }
  });
}

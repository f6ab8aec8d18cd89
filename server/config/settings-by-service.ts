// Lists which settings the agent, the gateway and the platform each read.

import type { SettingName } from "./schema.ts";

export const serviceNames = ["agent", "gateway", "platform"] as const;
export type ServiceName = (typeof serviceNames)[number];

/**
 * The names of the settings that each service reads. The settings of the log (`logging.`) are left out, because all
 * services of a process share one log.
 */
export const ownSettings: Readonly<Record<ServiceName, RegExp>> = {
  agent: /^(?!(?:gateway_api|sinker|platform|store|open_api|logging)\.)/,
  gateway: /^(?:gateway_api|sinker)\.|^(?:data_dir|reload_interval|environments\.ENV_HOSTNAME)$/,
  platform: /^(?:platform|store|open_api)\.|^data_dir$/,
};

export function servicesOf(name: SettingName): readonly ServiceName[] {
  return name.startsWith("logging.") ? serviceNames : serviceNames.filter((service) => ownSettings[service].test(name));
}

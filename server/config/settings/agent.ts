// The settings for an agent as a whole: its data folder, reloads of the configuration, its log, the tags that it
// adds to all points, the election tags (which it adds only to points of write requests that ask for them), and
// dial tests (requests that test a server).

import { network } from "../forms.ts";
import { type Setting, setting } from "../setting.ts";

export const agentSettings = {
  data_dir: setting("text", "millrace-data", "folder of scripts, output and state", { env: "ENV_DATA_DIR" }),
  reload_interval: setting(
    "duration",
    "5s",
    "least time between two reloads; all that ask for one meanwhile (SIGHUP, GET /restart) get one",
    { env: "ENV_RELOAD_INTERVAL" },
  ),

  "dialtesting.enable_debug_api": setting("bool", true, "the interface that runs a dial test", {
    env: "ENV_INPUT_DIALTESTING_ENABLE_DEBUG_API",
  }),
  "dialtesting.disable_internal_network_task": setting("bool", true, "dial tests may not dial internal networks", {
    env: "ENV_INPUT_DIALTESTING_DISABLE_INTERNAL_NETWORK_TASK",
  }),
  "dialtesting.disabled_internal_network_cidr_list": setting(
    "texts",
    [],
    "networks (CIDR) that count as internal; empty = all that are not public",
    { form: network, env: "ENV_INPUT_DIALTESTING_DISABLED_INTERNAL_NETWORK_CIDR_LIST" },
  ),

  "logging.log": setting("text", "", "file of the log, or stdout; empty = standard error", { env: "ENV_LOG" }),
  "logging.rotate": setting("int", 32, "size at which the file is renamed, in MiB", { unit: "MiB", min: 1 }),
  "logging.rotate_backups": setting("int", 5, "renamed files that are kept", { unit: "files", min: 0 }),
  "logging.level": setting("text", "info", "what is logged: this and what is worse", {
    env: "ENV_LOG_LEVEL",
    choices: ["debug", "info", "warn", "error"],
  }),

  global_host_tags: setting("table", {}, "tags added to every point that lacks them", { env: "ENV_GLOBAL_HOST_TAGS" }),
  global_tags: setting("table", {}, "older name of global_host_tags; those win"),
  "election.enable": setting("bool", false, "keep election tags of their own", {
    env: "ENV_ENABLE_ELECTION",
    envPresence: true,
  }),
  "election.namespace": setting("text", "default", "name of the group of agents that elections are held in", {
    env: "ENV_NAMESPACE",
  }),
  "election.enable_namespace_tag": setting("bool", false, "with election: the election tag election_namespace", {
    env: "ENV_ENABLE_ELECTION_NAMESPACE_TAG",
    envPresence: true,
  }),
  "election.tags": setting("table", {}, "tags added to points written with global_election_tags", {
    env: "ENV_GLOBAL_ELECTION_TAGS",
  }),
  "environments.ENV_HOSTNAME": setting("text", "", "host name in place of the machine's", { env: "ENV_HOSTNAME" }),
} as const satisfies Record<string, Setting>;

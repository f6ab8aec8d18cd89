// Runs the gateway or the platform beside the agent of `millrace start`. After a reload of the configuration, restarts
// the service if one of its settings has changed. A service that cannot start with the new settings starts again with
// the old settings.

import type { Config } from "../../config/schema.ts";
import type { Prepared } from "../read-config.ts";

export interface ServiceKind<R> {
  readonly name: string;
  /** Matches the names of the settings that the service (gateway or platform) reads. */
  readonly settings: RegExp;
  isOn(config: Config): boolean;
  /** Starts the service. `signal` aborts the wait for a port that another process uses. */
  start(its: Prepared, signal: AbortSignal): Promise<R>;
}

export interface Restarted<R> {
  /** The service (gateway or platform) that runs now; undefined while none runs. */
  readonly running: R | undefined;
  /** Resolves when the latest attempt to start the service has ended, whether it succeeded or failed. */
  readonly started: Promise<void>;
  /**
   * Restarts the service when one of its settings has changed. Returns whether the service is restarted; if so,
   * `started` has been replaced by the promise of this start.
   */
  reload(next: Prepared): Promise<boolean>;
  close(): Promise<void>;
}

export function startRestarted<R extends { close(): Promise<void> }>(
  kind: ServiceKind<R>,
  first: Prepared,
): Restarted<R> {
  const { name } = kind;
  let inForce = first;
  let running: R | undefined;
  let stop = new AbortController();
  const tryStart = async (its: Prepared, failure: string): Promise<boolean> => {
    if (!kind.isOn(its.config)) return true;
    stop = new AbortController();
    try {
      running = await kind.start(its, stop.signal);
      return true;
    } catch (error) {
      its.log.error(`${failure}: ${(error as Error).message}`);
      return false;
    }
  };
  const end = async () => {
    stop.abort();
    await starting;
    await running?.close();
    running = undefined;
  };
  let starting: Promise<unknown> = tryStart(first, `the ${name} does not start`);
  return {
    get running() {
      return running;
    },
    get started() {
      return starting.then(() => {});
    },
    reload: async (next) => {
      if (settingsText(kind, next.config) === settingsText(kind, inForce.config)) return false;
      await end();
      starting = (async () => {
        if (await tryStart(next, `the ${name} does not start with its new settings`)) {
          inForce = next;
          next.log.info(`the settings of the ${name} are read anew`);
        } else if (await tryStart(inForce, `the ${name} does not start with its old settings either`)) {
          inForce.log.warn(`the ${name} goes on with its old settings`);
        }
      })();
      return true;
    },
    close: end,
  };
}

function settingsText({ settings }: Pick<ServiceKind<unknown>, "settings">, config: Config): string {
  return JSON.stringify(Object.entries(config).filter(([name]) => settings.test(name)));
}

// Where source maps lie (docs/reference/agent.md#source-maps): <data-dir>/rum/<platform>/<app_id>-<env>-<version>.zip.

export const platforms = ["web", "miniapp", "android", "ios"] as const;
export type Platform = (typeof platforms)[number];

export interface Application {
  readonly appId: string;
  readonly env: string;
  readonly version: string;
}

/** Separators of a path become `__`; what is empty is `none`. */
export function archiveName({ appId, env, version }: Application): string {
  return `${appId}-${env || "none"}-${version || "none"}.zip`.replace(/[/\\]/g, "__");
}

/** A name that means to leave the folder, or that no file can have. */
export function isTraversal({ appId, env, version }: Application): boolean {
  return [appId, env, version].some((part) => /(?:^|[/\\])\.\.(?:[/\\]|$)|\0/.test(part));
}

// The names of source map archives (docs/reference/agent.md#source-maps):
// <data-dir>/rum/<platform>/<app_id>-<env>-<version>.zip.

export const platforms = ["web", "miniapp", "android", "ios"] as const;
export type Platform = (typeof platforms)[number];

export interface Application {
  readonly appId: string;
  readonly env: string;
  readonly version: string;
}

/**
 * Returns the file name of an archive of source maps. Replaces path separators by `__`, and an empty `env` or `version`
 * by `none`.
 */
export function archiveName({ appId, env, version }: Application): string {
  return `${appId}-${env || "none"}-${version || "none"}.zip`.replace(/[/\\]/g, "__");
}

/**
 * Returns whether a part of the archive's name would lead out of the folder, or has characters that a file name cannot
 * have.
 */
export function isTraversal({ appId, env, version }: Application): boolean {
  return [appId, env, version].some((part) => /(?:^|[/\\])\.\.(?:[/\\]|$)|\0/.test(part));
}

/** The version that all packages share. */
export const version = "0.1.0";

/** Who we say we are. */
export function userAgent(suffix: string | undefined): string {
  const own = `tablekeep/${version} node/${process.versions.node}`;
  return suffix === undefined ? own : `${own} ${suffix}`;
}

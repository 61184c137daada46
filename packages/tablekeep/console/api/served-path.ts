/**
 * The address of something that the server has beside the console, such as `/api/v3/mail/count` or `/about`: under the
 * path that this page was served from.
 */
export function servedPath(path: string): string {
  return location.pathname.replace(/\/[^/]*$/, "") + path;
}

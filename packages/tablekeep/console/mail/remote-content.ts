/**
 * Whether a message would load something of the web if it were allowed to. It only decides whether the switch is shown:
 * nothing is loaded without it, regardless of the result.
 */
export function hasRemoteContent(html: string): boolean {
  return /\b(?:src|srcset|background|poster)\s*=\s*["']?\s*(?:https?:)?\/\/|url\(\s*["']?\s*(?:https?:)?\/\//i.test(
    html,
  );
}

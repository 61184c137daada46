/** The inbox of a store that is opened without a name. Its keys have no prefix. */
export const defaultInbox = "default";

/** Names of inboxes are parts of paths and keys. */
const names = /^[a-z0-9][a-z0-9._-]{0,62}$/;

/**
 * Returns whether a store can have this name.
 *
 * @example
 * isInboxName("feature-42"); // true
 */
export function isInboxName(name: string): boolean {
  return names.test(name);
}

/**
 * Returns the nearest valid name of an inbox: lower-case, with `-` for characters that it cannot have. Undefined if nothing is left.
 *
 * @example
 * inboxNameOf("Feature/42"); // "feature-42"
 */
export function inboxNameOf(text: string): string | undefined {
  const name = text
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, "-")
    .replace(/^[._-]+/, "")
    .slice(0, 63);
  return isInboxName(name) ? name : undefined;
}

/** The maximum length of a stored error: the item of the position should stay below 1 KB. */
const maxLength = 300;

/** Returns the text to store of an error. A handler may throw anything, and a shortened text may end in half a character. */
export function errorText(error: unknown): string {
  const code = errorCode(error);
  const text = `${code === undefined ? "" : `${code}: `}${messageOf(error)}`.slice(0, maxLength);
  return text.replaceAll(/\p{Surrogate}/gu, "\ufffd");
}

/** Returns the code of an error, if it has one. */
export function errorCode(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === "string" ? code : undefined;
}

/** Returns the message of an error, or what was thrown instead of one. */
export function messageOf(error: unknown): string {
  if (error instanceof Error) return String(error.message);
  if (typeof error === "string") return error;
  return `threw ${typeof error === "object" && error !== null ? "an object that is not an Error" : String(error)}`;
}

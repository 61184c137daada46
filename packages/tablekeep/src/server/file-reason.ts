/** The meaning of common system error codes for reading a file. */
const reading: Readonly<Record<string, string>> = {
  ENOENT: "it does not exist",
  EACCES: "this user may not read it",
  EPERM: "this user may not read it",
  EISDIR: "it is a folder",
  ENOTDIR: "a part of its path is not a folder",
};

/** The same for writing a file. */
const writing: Readonly<Record<string, string>> = {
  ENOENT: "its folder does not exist",
  EACCES: "this user may not write it",
  EPERM: "this user may not write it",
  EROFS: "its disk is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is exceeded",
  EEXIST: "it already exists",
  EISDIR: "it is a folder",
  ENOTDIR: "a part of its path is not a folder",
};

/** Why a file cannot be read, for a message: `it does not exist (ENOENT)`. */
export function readReason(error: unknown): string {
  return reasonIn(reading, error);
}

/** Why a file cannot be written, for a message. */
export function writeReason(error: unknown): string {
  return reasonIn(writing, error);
}

function reasonIn(reasons: Readonly<Record<string, string>>, error: unknown): string {
  const { code = "", message } = error as NodeJS.ErrnoException;
  return Object.hasOwn(reasons, code) ? `${reasons[code]} (${code})` : code || message;
}

/** Why a JSON file cannot be read or parsed. */
export function jsonFileReason(error: unknown): string {
  return error instanceof SyntaxError ? "it is not JSON" : readReason(error);
}

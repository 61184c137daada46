import { statSync } from "node:fs";
import { resolve } from "node:path";
import { createSecureContext, type SecureContext } from "node:tls";
import { type OptionChecker, optionCheck, optionChecker } from "@tablekeep/core";
import type { AccessKeys } from "../auth/verify-signature.ts";
import { isLoopback } from "../listening/listener.ts";
import { ServerError } from "../server-error.ts";

const checkOptions: OptionChecker = optionChecker((option, reason) => invalidOption(option, reason));

/** Throws for an option that is not in `known`. */
export function rejectUnknownOptions(options: object, known: object): void {
  const checks = Object.fromEntries(Object.keys(known).map((option) => [option, optionCheck.anything]));
  checkOptions(options, checks);
}

/** The given options; undefined means the default. */
export function withoutUndefined<Options extends object>(options: Options): Partial<Options> {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as Partial<Options>;
}

export function checkWholeNumber(option: string, value: unknown, maximum: number): void {
  const reason = optionCheck.integer(0, maximum)(value);
  if (reason !== undefined) throw invalidOption(option, reason);
}

/** Throws for a non-loopback address with listeners that require no authentication. `open` names those listeners. */
export function checkHost(host: string, open: readonly string[]): void {
  if (host === "") throw invalidOption("host", "must be a non-empty address, such as 127.0.0.1");
  if (open.length === 0 || isLoopback(host)) return;
  throw new ServerError(
    "SERVER_HOST_REFUSED",
    `${host} is not a loopback address and these listeners have no authentication: ${open.join(", ")}. Configure users and keys, or pass --allow-anonymous`,
    { host },
  );
}

export function checkWebPath(webPath: string): void {
  if (webPath === "" || /^(\/[\w.~-]+)+$/.test(webPath)) return;
  throw invalidOption("webPath", "must be empty, or start with a slash and not end with one, such as /mail");
}

/** A browser sends an origin in exactly this form, or never. */
export function checkOrigin(option: string, origin: string | undefined): void {
  if (origin === undefined || origin === "*" || /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#\P{ASCII}]+$/u.test(origin))
    return;
  throw invalidOption(option, "must be * or an origin without a path, such as https://app.example:8080");
}

/** Throws if `given` is not a folder; a missing one is accepted. */
export function checkFolderOption(option: string, given: string): void {
  if (given === "") throw invalidOption(option, "must be a non-empty path");
  const dataFolder = resolve(given);
  const reason = whyNoFolder(dataFolder);
  if (reason === undefined) return;
  const message = `${dataFolder} ${reason}: set another folder with --data`;
  throw new ServerError("SERVER_DATA_FOLDER_INVALID", message, { dataFolder });
}

/** Returns why a path cannot be a folder; undefined if it can, or if this user has no permission to find out: then opening it fails with the reason. */
function whyNoFolder(path: string): string | undefined {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    return found === undefined || found.isDirectory() ? undefined : "is not a folder";
  } catch (error) {
    const { code = "unreadable" } = error as NodeJS.ErrnoException;
    return code === "EACCES" || code === "EPERM" ? undefined : `cannot be a folder (${code})`;
  }
}

export function invalidOption(option: string, reason: string): ServerError {
  return new ServerError("SERVER_OPTION_INVALID", `option ${option} ${reason}`, { option, reason });
}

/** A certificate with its key, both in PEM. */
export interface Certificate {
  readonly key: string | Buffer;
  readonly cert: string | Buffer;
}

/** TLS options for a certificate; versions below 1.2 are not supported. */
export function secureContextOf({
  key,
  cert,
  ca,
}: Certificate & { readonly ca?: string | Buffer }): SecureContext {
  try {
    return createSecureContext({ key, cert, ca, minVersion: "TLSv1.2" });
  } catch {
    throw invalidOption("certificate", "must be valid PEM, with a key that belongs to the certificate");
  }
}

/** Throws for keys that cannot sign a request. */
export function checkAccessKeys(accessKeys: AccessKeys | undefined): void {
  if (accessKeys === undefined) return;
  const pairs = Object.entries(accessKeys);
  if (pairs.length === 0) throw invalidOption("accessKeys", "must contain at least one key");
  for (const [id, secret] of pairs) {
    if (!/^[\w.:-]{1,128}$/.test(id)) {
      throw invalidOption("accessKeys", "must have ids of 1 to 128 letters, digits or _ . : -");
    }
    if (typeof secret !== "string" || secret === "") {
      throw invalidOption("accessKeys", `must have a non-empty secret for ${id}`);
    }
  }
}

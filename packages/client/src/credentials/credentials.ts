import { ClientError } from "../base/client-error.ts";

/** Credentials that requests are signed with, in the shape of the AWS SDK. */
export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Part of temporary credentials. */
  readonly sessionToken?: string;
  /** When temporary credentials expire. @default never */
  readonly expiration?: Date;
}

/**
 * Fetches credentials; every provider of `@aws-sdk/credential-providers` fits. Called when there are none yet and when they
 * need renewal, never concurrently; with `forceRefresh` it must not return cached ones.
 */
export type CredentialProvider = (request?: { readonly forceRefresh?: boolean }) => Promise<Credentials>;

/** Where the signer of one port gets its credentials from. */
export interface CredentialSource {
  /** Returns valid credentials. Waits only for the first ones, and when the last ones have expired. */
  get(signal?: AbortSignal): Promise<Credentials>;
  /** Returns newer credentials than `stale`, which the service rejected. Fetches them unless another call already has. */
  refresh(stale: Credentials, signal?: AbortSignal): Promise<Credentials>;
}

/** Returns the credentials if they can sign a request. The error names the field, never its value. */
export function checkCredentials(given: Credentials, option: string): Credentials {
  const fault = faultOf(given);
  if (fault === undefined) return given;
  throw new ClientError("CLIENT_OPTION_INVALID", `${option}.${fault.field} ${fault.reason}`, {
    option: `${option}.${fault.field}`,
    reason: fault.reason,
  });
}

interface Fault {
  readonly field: string;
  readonly reason: string;
}

/** Returns the first problem of a value that should be credentials. */
export function faultOf(given: Credentials): Fault | undefined {
  const fields: Partial<Record<keyof Credentials, unknown>> = given ?? {};
  for (const field of ["accessKeyId", "secretAccessKey"] as const) {
    if (typeof fields[field] !== "string" || fields[field] === "")
      return { field, reason: "must be a non-empty string" };
  }
  if (fields.sessionToken !== undefined && typeof fields.sessionToken !== "string")
    return { field: "sessionToken", reason: "must be a string" };
  if (
    fields.expiration !== undefined &&
    !(fields.expiration instanceof Date && Number.isFinite(fields.expiration.getTime()))
  )
    return { field: "expiration", reason: "must be a valid Date" };
  return undefined;
}

import { ClientError } from "../client-error.ts";
import type { Credentials } from "./credentials.ts";

/** The credentials themselves if they can sign a request. The error names the field, never its value. */
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

/** What is wrong with something that should be credentials. */
export function faultOf(given: Credentials): Fault | undefined {
  const fields: Partial<Record<keyof Credentials, unknown>> = given ?? {};
  for (const field of ["accessKeyId", "secretAccessKey"] as const) {
    if (typeof fields[field] !== "string" || fields[field] === "")
      return { field, reason: "must be a text that is not empty" };
  }
  if (fields.sessionToken !== undefined && typeof fields.sessionToken !== "string")
    return { field: "sessionToken", reason: "must be a text" };
  if (
    fields.expiration !== undefined &&
    !(fields.expiration instanceof Date && Number.isFinite(fields.expiration.getTime()))
  )
    return { field: "expiration", reason: "must be a valid Date" };
  return undefined;
}

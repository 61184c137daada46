import type { PortCase } from "./port-case.ts";

/** The `gaps` of a case that DynamoDB Local fails for this reason, to be spread into it; nothing without a reason. */
export function localGap(reason: string | undefined): Pick<PortCase, "gaps"> {
  return reason === undefined ? {} : { gaps: { "dynamodb-local": reason } };
}

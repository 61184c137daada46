import type { ShadowLimits } from "../manager/shadow-limits.ts";
import { ShadowError } from "../shadow-error.ts";
import type { AwsShadowName } from "./shadow-topic.ts";

/** AWS: API_iotdata, thingName and shadowName. */
const thingNames = /^[a-zA-Z0-9:_-]+$/;
const shadowNames = /^[$a-zA-Z0-9:_-]+$/;

/** Throws for names that AWS IoT does not take. */
export function checkNames({ thingName, shadowName }: AwsShadowName, limits: ShadowLimits): void {
  if (!thingNames.test(thingName) || thingName.length > limits.thingNameLength)
    throw requestInvalid("Invalid thing name");
  if (shadowName === "") return;
  if (!shadowNames.test(shadowName) || shadowName.length > limits.shadowNameLength)
    throw requestInvalid("Invalid shadow name");
}

/** The error for a request that AWS IoT would refuse, in AWS's words. */
export function requestInvalid(reason: string): ShadowError<"SHADOW_REQUEST_INVALID"> {
  return new ShadowError("SHADOW_REQUEST_INVALID", reason, { reason });
}

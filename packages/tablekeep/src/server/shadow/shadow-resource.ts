import type { AwsShadowName } from "@tablekeep/shadow";
import type { IotPolicies } from "../auth/iot-policies.ts";
import { HttpError, type HttpExchange } from "../http/http-route.ts";

/** The resource of a shadow in policies, as in its ARN: `thing/{thing}`, or `thing/{thing}/{name}` for a named shadow. */
export function shadowResource({ thingName, shadowName }: AwsShadowName): string {
  return `thing/${thingName}${shadowName === "" ? "" : `/${shadowName}`}`;
}

/** An action on shadows in policies. */
export type ShadowPermission = "iot:GetThingShadow" | "iot:UpdateThingShadow" | "iot:DeleteThingShadow";

/** Stands for all things: longer than any name, so that only a policy with `thing/*` or `*` matches it. */
const allThings = "*".repeat(129);

/** Whether the policies allow the user of a request to perform an action on a shadow; without a thing, on the shadows of all things. */
export function hasPermission(
  policies: IotPolicies | undefined,
  { user }: Pick<HttpExchange, "user">,
  action: ShadowPermission,
  { id, name = "" }: { readonly id?: string; readonly name?: string },
): boolean {
  const resource = shadowResource({ thingName: id ?? allThings, shadowName: name });
  return policies?.rulesOf({ user })(action, resource) !== false;
}

/** Throws unless the policies allow the user of a request to perform an action on a shadow; without a thing, on the shadows of all things. */
export function requirePermission(
  policies: IotPolicies | undefined,
  exchange: Pick<HttpExchange, "user">,
  action: ShadowPermission,
  shadow: { readonly id?: string; readonly name?: string },
): void {
  if (!hasPermission(policies, exchange, action, shadow))
    throw new HttpError(403, "forbidden by the policies");
}

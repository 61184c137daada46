import { isEntityError } from "../entity-error.ts";
import type { AnyEntity, RefusalOf } from "./entity-definition.ts";

/**
 * Returns the refusal in an error of `ask`, with the types of what the definition refuses; undefined for any other error.
 *
 * @example
 * const refusal = refusalOf(cart, error);
 * if (refusal?.reason === "out-of-stock") console.log(refusal.facts);
 */
export function refusalOf<Definition extends AnyEntity>(
  definition: Definition,
  error: unknown,
): RefusalOf<Definition> | undefined {
  if (!isEntityError(error, "ENTITY_COMMAND_REFUSED") || error.details.entity !== definition.type)
    return undefined;
  const { reason, facts } = error.details;
  // What was refused came from this definition's `decide`.
  return { reason, facts } as RefusalOf<Definition>;
}

import { type CallOptions, type DynamoPort, isDynamoError, type UpdateItemInput } from "@tablekeep/core";

/**
 * Updates an item if its condition holds. Returns false if it does not, which may also be because of this update, sent again after its response
 * was lost: the caller then reads what is stored.
 */
export async function updateIf(
  port: Pick<DynamoPort, "updateItem">,
  input: UpdateItemInput & { readonly ConditionExpression: string },
  call: CallOptions,
): Promise<boolean> {
  try {
    await port.updateItem(input, { ...call, idempotent: true });
    return true;
  } catch (error) {
    if (isDynamoError(error, "ConditionalCheckFailedException")) return false;
    throw error;
  }
}

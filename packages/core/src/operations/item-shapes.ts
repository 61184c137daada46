import type { AttributeValue } from "../attribute-value.ts";

export type ReturnValue = "NONE" | "ALL_OLD" | "UPDATED_OLD" | "ALL_NEW" | "UPDATED_NEW";

export type ReturnValuesOnConditionCheckFailure = "ALL_OLD" | "NONE";

export type Select = "ALL_ATTRIBUTES" | "ALL_PROJECTED_ATTRIBUTES" | "SPECIFIC_ATTRIBUTES" | "COUNT";

export interface ItemResponse {
  Item?: Record<string, AttributeValue> | undefined;
}

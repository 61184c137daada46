import type { AttributeValue } from "../attribute-value.ts";

export interface AttributeValueUpdate {
  Value?: AttributeValue | undefined;
  Action?: AttributeAction | undefined;
}

export type AttributeAction = "ADD" | "PUT" | "DELETE";

export interface ExpectedAttributeValue {
  Value?: AttributeValue | undefined;
  Exists?: boolean | undefined;
  ComparisonOperator?: ComparisonOperator | undefined;
  AttributeValueList?: AttributeValue[] | undefined;
}

export type ComparisonOperator =
  | "EQ"
  | "NE"
  | "IN"
  | "LE"
  | "LT"
  | "GE"
  | "GT"
  | "BETWEEN"
  | "NOT_NULL"
  | "NULL"
  | "CONTAINS"
  | "NOT_CONTAINS"
  | "BEGINS_WITH";

export type ConditionalOperator = "AND" | "OR";

export interface Condition {
  AttributeValueList?: AttributeValue[] | undefined;
  ComparisonOperator: ComparisonOperator | undefined;
}

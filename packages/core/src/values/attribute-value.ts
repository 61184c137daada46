/**
 * One DynamoDB attribute value: exactly one of the ten types.
 *
 * The shape is that of `@aws-sdk/client-dynamodb`, so that values pass freely in both directions. That includes
 * {@link UnknownValue}: the SDK's types allow it, DynamoDB never sends it, and every port rejects it.
 */
export type AttributeValue =
  | StringValue
  | NumberValue
  | BinaryValue
  | StringSetValue
  | NumberSetValue
  | BinarySetValue
  | MapValue
  | ListValue
  | NullValue
  | BooleanValue
  | UnknownValue;

/** An item, or a part of one: attribute name to value. */
export type Item = Record<string, AttributeValue>;

/** The primary key of an item: partition key and, where the table has one, sort key. */
export type Key = Record<string, AttributeValue>;

/** The tag of an attribute value. */
export type AttributeType = "S" | "N" | "B" | "SS" | "NS" | "BS" | "M" | "L" | "NULL" | "BOOL";

type AllTags = AttributeType | "$unknown";

/** No other tag may be set beside `Tag`. */
type Only<Tag extends AllTags> = { [Other in Exclude<AllTags, Tag>]?: never };

export type StringValue = { S: string } & Only<"S">;
/** A number as a decimal string, up to 38 significant digits. */
export type NumberValue = { N: string } & Only<"N">;
export type BinaryValue = { B: Uint8Array } & Only<"B">;
export type StringSetValue = { SS: string[] } & Only<"SS">;
export type NumberSetValue = { NS: string[] } & Only<"NS">;
export type BinarySetValue = { BS: Uint8Array[] } & Only<"BS">;
export type MapValue = { M: Record<string, AttributeValue> } & Only<"M">;
export type ListValue = { L: AttributeValue[] } & Only<"L">;
export type NullValue = { NULL: boolean } & Only<"NULL">;
export type BooleanValue = { BOOL: boolean } & Only<"BOOL">;
/** A type tag that is unknown to this version. */
// biome-ignore lint/suspicious/noExplicitAny: the SDK declares it so, and both must be assignable to each other
export type UnknownValue = { $unknown: [string, any] } & Only<"$unknown">;

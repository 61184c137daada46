import type { Item, Update } from "@tablekeep/core";
import { keptAttribute } from "./history-row.ts";
import { rowKey } from "./row-keys.ts";
import { lastVersion, type RowContent } from "./stored-row.ts";

/** How an update continues the history of its shadow. */
export interface KeptUpdate {
  /** The new version. */
  readonly to: number;
  /** Whether the stored version must be the newest of the history, so that no version was written without history since. */
  readonly continues: boolean;
}

/** How an existing item is updated. */
export interface RowUpdate {
  /** The stored version; undefined if any is replaced by its next one. */
  readonly from: number | undefined;
  /** The names of a shadow's attributes in another case: the ones with the right names replace them. @default none */
  readonly odd?: readonly string[];
  /** @default the shadow has no history */
  readonly kept?: KeptUpdate;
  /** The update requires that the item has these attributes. @default none */
  readonly replaced?: Item;
}

/** The update of an existing item to its next version. */
export function updateRow(
  table: string,
  row: RowContent,
  { from, odd = [], kept, replaced = {} }: RowUpdate,
): Update {
  const attributes: Item = {
    ...row.attributes,
    ...(kept !== undefined && { [keptAttribute]: { N: String(kept.to) } }),
  };
  const names = Object.keys(attributes);
  const shape = {
    names,
    odd,
    isAnyVersion: from === undefined,
    continues: kept?.continues === true,
    replaced: Object.keys(replaced),
  };
  const values: Item =
    from === undefined
      ? { ":one": { N: "1" }, ":last": { N: String(lastVersion) } }
      : { ":next": { N: String(kept?.to ?? from + 1) }, ":expected": { N: String(from) } };
  for (const name of names) values[`:${name}`] = attributes[name] as Item[string];
  for (const name of shape.replaced) values[`:old${name}`] = replaced[name] as Item[string];
  return {
    TableName: table,
    Key: rowKey(row),
    ...(odd.length === 0 ? knownExpressions(shape) : expressionsOf(shape)),
    ExpressionAttributeValues: values,
  };
}

/** The parameters of the expressions of an update. */
interface UpdateShape {
  readonly names: readonly string[];
  readonly odd: readonly string[];
  readonly isAnyVersion: boolean;
  readonly continues: boolean;
  readonly replaced: readonly string[];
}

type UpdateExpressions = Required<
  Pick<Update, "UpdateExpression" | "ConditionExpression" | "ExpressionAttributeNames">
>;

/** The expressions of updates of items with the usual names: there are few. */
const known: (UpdateExpressions | undefined)[] = [];

/** The same as {@link expressionsOf} for items without odd names. Only two of the usual names may be missing. */
function knownExpressions(shape: UpdateShape): UpdateExpressions {
  const { names, isAnyVersion, continues, replaced } = shape;
  const flags = [
    names.includes("Metadata"),
    names.includes(keptAttribute),
    isAnyVersion,
    continues,
    replaced.length > 0,
  ];
  const key = flags.reduce((bits, flag) => bits * 2 + Number(flag), 0);
  known[key] ??= expressionsOf(shape);
  return known[key];
}

/** Names that need no placeholder in expressions, because DynamoDB checks each placeholder. `TimeStamp` is a reserved word. */
const plainNames: ReadonlySet<string> = new Set([
  "Version",
  "ClientToken",
  "Desired",
  "Reported",
  "Metadata",
  keptAttribute,
]);

function expressionsOf({ names, odd, isAnyVersion, continues, replaced }: UpdateShape): UpdateExpressions {
  const placeholders: Record<string, string> = {};
  const named = (name: string) => {
    if (plainNames.has(name)) return name;
    placeholders[`#${name}`] = name;
    return `#${name}`;
  };
  const sets = names.map((name) => `${named(name)} = :${name}`);
  const old = named(odd.find((name) => name.toLowerCase() === "version") ?? "Version");
  const next = isAnyVersion ? `${old} + :one` : ":next";
  // Metadata of removed values would be wrong.
  const removed = names.includes("Metadata") ? odd : ["Metadata", ...odd];
  const remove = removed.length === 0 ? "" : ` REMOVE ${removed.map(named).join(", ")}`;
  const conditions = [
    isAnyVersion ? `${old} < :last` : `${old} = :expected`,
    ...(continues ? [`${keptAttribute} = :expected`] : []),
    ...replaced.map((name) => `${named(name)} = :old${name}`),
  ];
  return {
    UpdateExpression: `SET Version = ${next}, ${sets.join(", ")}${remove}`,
    ConditionExpression: conditions.join(" AND "),
    ExpressionAttributeNames: placeholders,
  };
}

import type { CallOptions, DynamoPort } from "@tablekeep/core";
import type { KeyNames } from "../key-text.ts";

/** Tells the key attributes of a table. */
export type KeyNamesOf = (table: string) => Promise<KeyNames>;

/** The names that are given; those of other tables are asked for, once each. */
export function tableKeyNames(
  port: DynamoPort,
  given: Readonly<Record<string, KeyNames>>,
  callOptions: () => CallOptions,
): KeyNamesOf {
  const known = new Map<string, Promise<KeyNames>>();
  for (const [table, names] of Object.entries(given)) known.set(table, Promise.resolve(names));
  return (table) => {
    const earlier = known.get(table);
    if (earlier !== undefined) return earlier;
    const asked = describedKeyNames(port, table, callOptions());
    known.set(table, asked);
    return asked;
  };
}

async function describedKeyNames(
  port: DynamoPort,
  TableName: string,
  options: CallOptions,
): Promise<KeyNames> {
  const { Table } = await port.describeTable({ TableName }, options);
  const named = (type: string) =>
    Table?.KeySchema?.find((element) => element.KeyType === type)?.AttributeName;
  const sortKey = named("RANGE");
  return sortKey === undefined ? [named("HASH") ?? ""] : [named("HASH") ?? "", sortKey];
}

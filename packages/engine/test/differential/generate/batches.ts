import type { Item } from "@tablekeep/core";
import fc from "fast-check";
import type { Step } from "../step.ts";
import type { TestTable } from "../tables.ts";
import { condition } from "./conditions.ts";
import { expressions } from "./expression.ts";
import { item, key, keyOrInvalid } from "./keys.ts";
import { present, sometimes } from "./sometimes.ts";
import { projection, update } from "./updates.ts";
import { capacityAsked } from "./writes.ts";

export function batchGet(tables: readonly TestTable[]): fc.Arbitrary<Step> {
  return fc
    .shuffledSubarray([...tables], { minLength: 1, maxLength: 2 })
    .chain((chosen) => fc.tuple(fc.tuple(...chosen.map(keysOf)), capacityAsked(...chosen)))
    .map(([requests, ReturnConsumedCapacity]) => ({
      operation: "BatchGetItem",
      input: present({ RequestItems: Object.fromEntries(requests), ReturnConsumedCapacity }),
    }));
}

function keysOf(table: TestTable): fc.Arbitrary<readonly [string, object]> {
  return fc
    .record({
      Keys: distinctly(keyOrInvalid(table), table, 4),
      ConsistentRead: fc.constantFrom(undefined, true),
      ProjectionExpression: sometimes(30, projection),
    })
    .map(
      ({ ProjectionExpression, ...members }) =>
        [table.name, present({ ...members, ...expressions({ ProjectionExpression }) })] as const,
    );
}

/** Mostly without duplicate keys, which would reject the whole request. */
function distinctly<Value extends Item>(
  arbitrary: fc.Arbitrary<Value>,
  table: TestTable,
  maxLength: number,
): fc.Arbitrary<Value[]> {
  return fc.oneof(
    {
      weight: 12,
      arbitrary: fc.uniqueArray(arbitrary, {
        minLength: 1,
        maxLength,
        selector: (each) => keyText(table, each),
      }),
    },
    { weight: 1, arbitrary: fc.array(arbitrary, { minLength: 1, maxLength }) },
  );
}

function keyText({ hash, range }: TestTable, whole: Item): string {
  const shown = (name: string) =>
    JSON.stringify(whole[name], (_key, each: unknown) => (each instanceof Uint8Array ? [...each] : each));
  return `${shown(hash.name)} ${range ? shown(range.name) : ""}`.replaceAll("1.0", "1");
}

export function batchWrite(tables: readonly TestTable[]): fc.Arbitrary<Step> {
  return fc
    .shuffledSubarray([...tables], { minLength: 1, maxLength: 2 })
    .chain((chosen) => fc.tuple(fc.tuple(...chosen.map(writesOf)), capacityAsked(...chosen)))
    .map(([requests, ReturnConsumedCapacity]) => ({
      operation: "BatchWriteItem",
      input: present({ RequestItems: Object.fromEntries(requests), ReturnConsumedCapacity }),
    }));
}

function writesOf(table: TestTable): fc.Arbitrary<readonly [string, object]> {
  return distinctly(item(table), table, 6).chain((items) =>
    fc
      .array(fc.integer({ min: 0, max: 3 }), { minLength: items.length, maxLength: items.length })
      .map(
        (choices) =>
          [
            table.name,
            items.map((Item, at) =>
              choices[at] === 3 ? { DeleteRequest: { Key: keyOf(table, Item) } } : { PutRequest: { Item } },
            ),
          ] as const,
      ),
  );
}

function keyOf({ hash, range }: TestTable, whole: Item): Item {
  return present({
    [hash.name]: whole[hash.name],
    ...(range && { [range.name]: whole[range.name] }),
  } as Item);
}

const onFailure = fc.constantFrom(undefined, "ALL_OLD");

function action(table: TestTable): fc.Arbitrary<readonly [Item, object]> {
  const TableName = table.name;
  const base = {
    ReturnValuesOnConditionCheckFailure: onFailure,
    ConditionExpression: sometimes(40, condition),
  };
  return fc.oneof(
    fc
      .record({ ...base, Item: item(table) })
      .map(
        ({ ConditionExpression, ...members }) =>
          [
            members.Item,
            { Put: present({ TableName, ...members, ...expressions({ ConditionExpression }) }) },
          ] as const,
      ),
    fc
      .record({ ...base, Key: key(table) })
      .map(
        ({ ConditionExpression, ...members }) =>
          [
            members.Key,
            { Delete: present({ TableName, ...members, ...expressions({ ConditionExpression }) }) },
          ] as const,
      ),
    fc.record({ ...base, Key: key(table), UpdateExpression: update }).map(
      ({ ConditionExpression, UpdateExpression, ...members }) =>
        [
          members.Key,
          {
            Update: present({
              TableName,
              ...members,
              ...expressions({ UpdateExpression, ConditionExpression }),
            }),
          },
        ] as const,
    ),
    fc
      .record({ ...base, Key: key(table), ConditionExpression: condition })
      .map(
        ({ ConditionExpression, ...members }) =>
          [
            members.Key,
            { ConditionCheck: present({ TableName, ...members, ...expressions({ ConditionExpression }) }) },
          ] as const,
      ),
  );
}

export function transactWrite(tables: readonly TestTable[]): fc.Arbitrary<Step> {
  const actions = fc.uniqueArray(
    fc.constantFrom(...tables).chain((table) =>
      action(table).map(([whole, request]) => ({
        // One action on a table with indexes: DynamoDB Local charges equal costs on one table once.
        selector: table.paths.length > 1 ? table.name : `${table.name} ${keyText(table, whole)}`,
        request,
      })),
    ),
    { minLength: 1, maxLength: 4, selector: ({ selector }) => selector },
  );
  return fc
    .record({
      actions,
      token: sometimes(30, fc.constantFrom("t1", "t2", "t3")),
      ReturnConsumedCapacity: capacityAsked(...tables),
    })
    .map(({ actions: chosen, token, ...members }) => ({
      operation: "TransactWriteItems",
      input: present({
        TransactItems: chosen.map(({ request }) => request),
        ClientRequestToken: token,
        ...members,
      }),
    }));
}

export function transactGet(tables: readonly TestTable[]): fc.Arbitrary<Step> {
  const get = fc.constantFrom(...tables).chain((table) =>
    fc
      .record({ Key: keyOrInvalid(table), ProjectionExpression: sometimes(30, projection) })
      .map(({ Key, ProjectionExpression }) => ({
        selector: `${table.name} ${keyText(table, Key)}`,
        Get: { TableName: table.name, Key, ...expressions({ ProjectionExpression }) },
      })),
  );
  return fc
    .tuple(
      fc.uniqueArray(get, { minLength: 1, maxLength: 4, selector: ({ selector }) => selector }),
      capacityAsked(...tables),
    )
    .map(([gets, ReturnConsumedCapacity]) => ({
      operation: "TransactGetItems",
      input: present({ TransactItems: gets.map(({ Get }) => ({ Get })), ReturnConsumedCapacity }),
    }));
}

/** Enough large items in one partition to end a page at 1 MB. */
export function largeItems(table: TestTable): fc.Arbitrary<Step> {
  return fc
    .tuple(key(table), fc.array(fc.integer({ min: 120_000, max: 390_000 }), { minLength: 3, maxLength: 6 }))
    .map(([{ [table.hash.name]: hash }, sizes]) => ({
      operation: "BatchWriteItem",
      input: {
        RequestItems: {
          [table.name]: sizes.map((size, at) => ({
            PutRequest: {
              Item: {
                [table.hash.name]: hash,
                sk: { S: `large-${at}` },
                a: { N: String(at) },
                big: { S: "x".repeat(size) },
              },
            },
          })),
        },
        ReturnConsumedCapacity: "INDEXES",
      },
    }));
}

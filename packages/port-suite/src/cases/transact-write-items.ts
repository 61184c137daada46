import type { Item } from "@tablekeep/core";
import { fill, n, pk, s, upTo } from "../attribute-values.ts";
import { cases, type Row } from "../case-table.ts";
import type { PortCase } from "../port-case.ts";
import { exists, increment, put, remove } from "../transaction-actions.ts";

const api = "AWS: API_TransactWriteItems";
const twice = "Transaction request cannot include multiple operations on one item";
const [fresh, counted, gone, checked] = [s("$fresh"), s("$counted"), s("$gone"), s("$checked")];

const numbered = (count: number) => upTo(count).map((index) => ({ Put: { TableName: "$numeric", Item: { pk, n: n(index) } } }));
const ifNew = (key: string) => ({
  Put: { TableName: "$simple", Item: { pk: s(key) }, ConditionExpression: "attribute_not_exists(pk)" },
});

const kept: Item[] = [{ pk: counted, n: n(4) }, { pk: gone }];
const writes = [put({ pk: fresh }), increment(counted), remove(gone)];
const large = upTo(11).map((index) => put({ pk: s(`$item${index}`), fill: fill(395_000) }));

const onceIncremented = { TransactItems: [increment(pk)], ClientRequestToken: "$token" };
const retried = { TransactItems: [exists(checked), increment(counted)], ClientRequestToken: "$token" };

export const transactWriteItemsCases: readonly PortCase[] = cases({ source: api, table: "simple" }, [
  {
    name: "TransactWriteItems puts, updates, deletes and checks in one",
    given: { simple: [...kept, { pk: checked }] },
    transactWriteItems: { TransactItems: [put({ pk: fresh, a: s("x") }), increment(counted), remove(gone), exists(checked)] },
    returns: {},
    after: { simple: [{ pk: fresh, a: s("x") }, { pk: counted, n: n(5) }, { pk: checked }] },
  },
  {
    name: "TransactWriteItems writes nothing when one action fails, whichever it is",
    given: { simple: kept },
    steps: upTo(4).map((at) => ({
      transactWriteItems: { TransactItems: writes.toSpliced(at, 0, exists(s("$absent"))) },
      rejected: "TransactionCanceledException",
    })),
    after: { simple: kept },
  },
  {
    name: "TransactWriteItems spans tables",
    transactWriteItems: { TransactItems: [put({ pk }), { Put: { TableName: "$composite", Item: { pk, sk: s("a") } } }] },
    after: { simple: [{ pk }], composite: [{ pk, sk: s("a") }] },
  },
  {
    name: "TransactWriteItems accepts 100 actions",
    transactWriteItems: { TransactItems: numbered(100) },
    after: { numeric: numbered(100).map((each) => each.Put.Item) },
  },
  {
    name: "TransactWriteItems rejects 101 actions",
    transactWriteItems: { TransactItems: numbered(101) },
    rejected: "Member must have length less than or equal to 100",
  },
  {
    name: "TransactWriteItems rejects an empty list",
    transactWriteItems: { TransactItems: [] },
    rejected: "Member must have length greater than or equal to 1",
  },
  {
    name: "TransactWriteItems rejects more than 4 MB",
    source: "AWS: API_TransactWriteItems; the wording is that of DynamoDB Local",
    transactWriteItems: { TransactItems: large },
    rejected: "Transaction payload size cannot exceed 4MB. Payload Size: ",
    after: { simple: [] },
  },
  ...Object.entries({ put: put({ pk }), delete: remove(pk), update: increment(pk) }).map(
    ([verb, write]): Row => ({
      name: `TransactWriteItems rejects a second action on an item that it checks: ${verb}`,
      given: { simple: [{ pk }] },
      transactWriteItems: { TransactItems: [exists(pk), write] },
      rejected: twice,
    }),
  ),
  {
    name: "TransactWriteItems finds numbers that are written differently to be the same item",
    source: "DynamoDB Local; AWS docs: numbers are one value however they are written",
    transactWriteItems: {
      TransactItems: ["1", "1.0"].map((each) => ({ Put: { TableName: "$numeric", Item: { pk, n: n(each) } } })),
    },
    rejected: twice,
  },
  {
    name: "TransactWriteItems evaluates every condition against the state before the transaction",
    transactWriteItems: { TransactItems: [ifNew("$one"), ifNew("$two")] },
    after: { simple: [{ pk: s("$one") }, { pk: s("$two") }] },
  },
  {
    name: "TransactWriteItems with the token of an earlier success answers and does nothing",
    steps: upTo(3).map(() => ({ transactWriteItems: onceIncremented, returns: {} })),
    after: { simple: [{ pk, n: n(1) }] },
  },
  {
    name: "TransactWriteItems rejects the token of an earlier success with another payload",
    steps: [
      { transactWriteItems: { TransactItems: [put({ pk })], ClientRequestToken: "$token" } },
      {
        transactWriteItems: { TransactItems: [put({ pk: s("$two") })], ClientRequestToken: "$token" },
        rejected: "IdempotentParameterMismatchException",
      },
    ],
    after: { simple: [{ pk }] },
  },
  {
    name: "TransactWriteItems with different tokens runs twice",
    steps: ["$token1", "$token2"].map((ClientRequestToken) => ({
      transactWriteItems: { TransactItems: [increment(pk)], ClientRequestToken },
    })),
    after: { simple: [{ pk, n: n(2) }] },
  },
  {
    name: "TransactWriteItems may be tried again with the token of a cancelled attempt",
    source: `${api}, ClientRequestToken; DynamoDB Local`,
    steps: [
      { transactWriteItems: retried, rejected: "TransactionCanceledException" },
      { putItem: { Item: { pk: checked } } },
      { transactWriteItems: retried },
    ],
    after: { simple: [{ pk: checked }, { pk: counted, n: n(1) }] },
  },
  {
    name: "TransactWriteItems rejects a token of 37 characters",
    transactWriteItems: { TransactItems: [put({ pk })], ClientRequestToken: "x".repeat(37) },
    rejected: "Member must have length less than or equal to 36",
  },
]);

import type { AttributeValue, Item } from "@tablekeep/core";
import { n, pk, s, upTo } from "../attribute-values.ts";
import { cases } from "../case-table.ts";
import type { PortCase } from "../port-case.ts";

const suites = "public conformance suites";

const statement = (Statement: string) => (key: AttributeValue) => ({ Statement, Parameters: [key] });
const select = statement('SELECT * FROM "$simple" WHERE pk = ?');
const insert = statement(`INSERT INTO "$simple" VALUE {'pk': ?}`);
const insertElsewhere = statement(`INSERT INTO "$elsewhere" VALUE {'pk': ?}`);
const increment = statement('UPDATE "$simple" SET n = n + 1 WHERE pk = ?');
const remove = statement('DELETE FROM "$simple" WHERE pk = ?');

const one = { pk: s("$one"), a: s("1") };
const two = { pk: s("$two"), a: s("2") };
const [fresh, counted, gone, taken] = [s("$fresh"), s("$counted"), s("$gone"), s("$taken")];
const before: Item[] = [{ pk: counted, n: n(1) }, { pk: gone }];
const after: Item[] = [{ pk: fresh }, { pk: counted, n: n(2) }];
const writes = [insert(fresh), increment(counted), remove(gone)];
const selects = (count: number) => upTo(count).map((index) => select(s(`$item${index}`)));

const batch = cases({ source: "AWS: API_BatchExecuteStatement" }, [
  {
    name: "BatchExecuteStatement answers each SELECT at its place",
    given: { simple: [one, two] },
    batchExecuteStatement: { Statements: [two.pk, s("$absent"), one.pk].map(select) },
    shows: { "Responses.*.Item": [two, undefined, one], "Responses.*.Error": [undefined, undefined, undefined] },
  },
  {
    name: "BatchExecuteStatement writes each statement on its own",
    given: { simple: before },
    batchExecuteStatement: { Statements: writes },
    after: { simple: after },
  },
  {
    name: "BatchExecuteStatement reports the error of each failed statement and runs the others",
    source: suites,
    given: { simple: [{ pk: taken }] },
    batchExecuteStatement: { Statements: [insert(taken), insert(fresh), increment(counted), insertElsewhere(taken)] },
    shows: { "Responses.*.Error.Code": ["DuplicateItem", undefined, "ConditionalCheckFailed", "ResourceNotFound"] },
    after: { simple: [{ pk: taken }, { pk: fresh }] },
  },
  {
    name: "BatchExecuteStatement answers a malformed statement at its place",
    source: suites,
    given: { simple: [one] },
    batchExecuteStatement: { Statements: [{ Statement: 'SLECT * FROM "$simple"' }, select(one.pk)] },
    shows: { "Responses.*.Error.Code": ["ValidationError", undefined], "Responses.1.Item": one },
  },
  { name: "BatchExecuteStatement rejects an empty list", batchExecuteStatement: { Statements: [] }, rejected: "" },
  {
    name: "BatchExecuteStatement accepts 25 statements and rejects 26",
    steps: [
      { batchExecuteStatement: { Statements: selects(25) }, shows: { "Responses.length": 25 } },
      { batchExecuteStatement: { Statements: selects(26) }, rejected: "" },
    ],
  },
  {
    name: "BatchExecuteStatement rejects reads and writes together",
    source: "AWS docs: Running batch operations with PartiQL for DynamoDB",
    batchExecuteStatement: { Statements: [select(s("$one")), insert(s("$two"))] },
    rejected: "",
  },
]);

const counter = { TransactStatements: [increment(pk)], ClientRequestToken: "$token" };

const transaction = cases({ source: "AWS: API_ExecuteTransaction" }, [
  {
    name: "ExecuteTransaction writes all of its statements",
    given: { simple: before },
    executeTransaction: { TransactStatements: writes },
    after: { simple: after },
  },
  {
    name: "ExecuteTransaction writes nothing when one statement fails",
    given: { simple: [...before, { pk: taken }] },
    executeTransaction: { TransactStatements: [...writes, insert(taken)] },
    rejected: "TransactionCanceledException",
    after: { simple: [...before, { pk: taken }] },
  },
  {
    name: "ExecuteTransaction reports which statement inserts an item that exists",
    gap: "returns the reason ValidationError",
    given: { simple: [{ pk: taken }] },
    executeTransaction: { TransactStatements: [insert(fresh), insert(taken)] },
    rejected: "TransactionCanceledException",
    shows: { "cancellationReasons.*.Code": ["None", "DuplicateItem"] },
  },
  {
    name: "ExecuteTransaction reads items in order",
    given: { simple: [one, two] },
    executeTransaction: { TransactStatements: [two.pk, one.pk].map(select) },
    shows: { Responses: [{ Item: two }, { Item: one }] },
  },
  {
    name: "ExecuteTransaction with the token of an earlier success does nothing",
    source: suites,
    given: { simple: [{ pk, n: n(0) }] },
    steps: [{ executeTransaction: counter }, { executeTransaction: counter }],
    after: { simple: [{ pk, n: n(1) }] },
  },
  {
    name: "ExecuteTransaction rejects RETURNING",
    source: suites,
    executeTransaction: {
      TransactStatements: [{ Statement: 'UPDATE "$simple" SET n = n + 1 WHERE pk = ? RETURNING ALL NEW *', Parameters: [pk] }],
    },
    rejected: "RETURNING clause is not supported in ExecuteTransaction",
  },
  { name: "ExecuteTransaction rejects an empty list", executeTransaction: { TransactStatements: [] }, rejected: "" },
]);

export const executeBatchAndTransactionCases: readonly PortCase[] = [...batch, ...transaction];

import type { AttributeValue } from "@tablekeep/core";
import fc from "fast-check";
import type { Step } from "../step.ts";
import type { KeyPart, TestTable } from "../tables.ts";
import { item, key, keyValue } from "./keys.ts";
import { mostly, present, sometimes } from "./sometimes.ts";
import { anyValue, valueFor } from "./values.ts";
import { capacityAsked } from "./writes.ts";

const attribute = fc.constantFrom("a", "b", "c", "m", "e", "s", "t", "name");
const operators = [
  "EQ",
  "NE",
  "LE",
  "LT",
  "GE",
  "GT",
  "NULL",
  "NOT_NULL",
  "IN",
  "BETWEEN",
  "BEGINS_WITH",
  "CONTAINS",
  "NOT_CONTAINS",
] as const;

const usualCount = (operator: string) =>
  operator === "BETWEEN" ? 2 : operator === "NULL" || operator === "NOT_NULL" ? 0 : 1;

/** Operators that accept documents and sets; all others accept a string, a number or bytes. */
const takesAny: ReadonlySet<string> = new Set(["EQ", "NE"]);

const scalarOf = (value: AttributeValue): AttributeValue =>
  value.S !== undefined || value.N !== undefined || value.B !== undefined ? value : { S: "a" };

function comparison(values: fc.Arbitrary<AttributeValue>): fc.Arbitrary<object> {
  return fc.constantFrom(...operators).chain((ComparisonOperator) => {
    const count = usualCount(ComparisonOperator);
    const fitting = takesAny.has(ComparisonOperator) ? values : values.map(scalarOf);
    const length = { minLength: count, maxLength: ComparisonOperator === "IN" ? 3 : count };
    return fc.array(fitting, length).map((AttributeValueList) =>
      present({
        ComparisonOperator,
        AttributeValueList: AttributeValueList.length === 0 ? undefined : AttributeValueList,
      }),
    );
  });
}

const conditions = fc
  .uniqueArray(
    attribute.chain((name) => fc.tuple(fc.constant(name), comparison(mostly(valueFor(name), anyValue())))),
    { minLength: 1, maxLength: 2, selector: ([name]) => name },
  )
  .map((entries) => Object.fromEntries(entries));

const expectation: fc.Arbitrary<object> = fc.oneof(
  fc
    .record({ Exists: fc.constantFrom(undefined, true, false), Value: sometimes(70, anyValue()) })
    .map((each) => present(each)),
  comparison(anyValue()),
);
const expected = fc
  .uniqueArray(
    fc.tuple(
      attribute,
      fc.oneof(
        expectation,
        attribute.chain((name) => comparison(valueFor(name))),
      ),
    ),
    { minLength: 1, maxLength: 2, selector: ([name]) => name },
  )
  .map((entries) => Object.fromEntries(entries));

const operator = sometimes(25, fc.constantFrom("AND", "OR"));
const returns = fc.constantFrom(undefined, "ALL_OLD");

/** A value that this action accepts: ADD a number or a set, DELETE a set or none. */
function fittingValue(action: string | undefined, value: AttributeValue): AttributeValue | undefined {
  const isSet = value.SS !== undefined || value.NS !== undefined || value.BS !== undefined;
  if (action === "DELETE") return isSet ? value : undefined;
  return action === "ADD" && !isSet && value.N === undefined ? { N: "1" } : value;
}

const updates = fc
  .uniqueArray(
    mostly<readonly [string, object]>(
      attribute.chain((name) =>
        fc
          .record({
            Action: fc.constantFrom("PUT", "ADD", "DELETE", undefined),
            Value: mostly(valueFor(name), anyValue()),
          })
          .map(
            ({ Action, Value }) => [name, present({ Action, Value: fittingValue(Action, Value) })] as const,
          ),
      ),
      // At most one fault: an attribute of the key, or a value that the action does not accept.
      fc.constantFrom<[string, object][]>(
        ["pk", { Action: "PUT", Value: { S: "a" } }],
        ["g", { Action: "PUT", Value: { S: "a" } }],
        ["pk", { Action: "PUT", Value: { S: "a" } }],
      ),
    ),
    { minLength: 1, maxLength: 3, selector: ([name]) => name },
  )
  .map((entries) => Object.fromEntries(entries));

export function legacyWrite(table: TestTable): fc.Arbitrary<Step> {
  const common = {
    Expected: sometimes(70, expected),
    ConditionalOperator: operator,
    ReturnConsumedCapacity: capacityAsked(table),
  };
  return fc.oneof(
    fc
      .record({ ...common, Item: item(table), ReturnValues: returns })
      .map((members) => stepOf("PutItem", table, members)),
    fc
      .record({ ...common, Key: key(table), ReturnValues: returns })
      .map((members) => stepOf("DeleteItem", table, members)),
    fc
      .record({
        ...common,
        Expected: sometimes(30, expected),
        Key: key(table),
        AttributeUpdates: updates,
        ReturnValues: fc.constantFrom(undefined, "ALL_NEW", "UPDATED_OLD", "UPDATED_NEW"),
      })
      .map((members) => stepOf("UpdateItem", table, members)),
  );
}

const names = sometimes(40, fc.uniqueArray(attribute, { minLength: 1, maxLength: 3 }));

export function legacyRead(table: TestTable): fc.Arbitrary<Step> {
  const get = fc
    .record({ Key: key(table), AttributesToGet: names, ReturnConsumedCapacity: capacityAsked(table) })
    .map((members) => stepOf("GetItem", table, members));
  const pages = {
    AttributesToGet: names,
    ConditionalOperator: operator,
    ReturnConsumedCapacity: capacityAsked(table),
    Limit: sometimes(30, fc.constantFrom(1, 2)),
  };
  const scan = fc.record({ ...pages, ScanFilter: sometimes(80, conditions) }).map((members) => ({
    ...stepOf("Scan", table, members),
    allPages: { table, path: { kind: "table" as const, hash: table.hash } },
  }));
  const query = fc.constantFrom(...table.paths).chain((path) =>
    fc
      .record({
        ...pages,
        IndexName: fc.constant(path.index),
        KeyConditions: keyConditions(path.hash, path.range),
        QueryFilter: path.projected === undefined ? sometimes(40, conditions) : fc.constant(undefined),
        ScanIndexForward: fc.constantFrom(undefined, false),
      })
      .map((members) => ({ ...stepOf("Query", table, members), allPages: { table, path } })),
  );
  return fc.oneof(get, scan, query);
}

function keyConditions(hash: KeyPart, range: KeyPart | undefined): fc.Arbitrary<object> {
  const partition = fc
    .tuple(mostly(fc.constant("EQ"), fc.constantFrom(...operators)), keyValue(hash, 3))
    .map(([ComparisonOperator, each]) => ({ ComparisonOperator, AttributeValueList: [each] }));
  const sort = range === undefined ? fc.constant(undefined) : sometimes(60, comparison(keyValue(range)));
  return fc
    .tuple(partition, sort)
    .map(([one, two]) => present({ [hash.name]: one, ...(range && { [range.name]: two }) }));
}

function stepOf(operation: Step["operation"], table: TestTable, members: Record<string, unknown>): Step {
  const { ConditionalOperator, ...others } = members;
  // Without conditions to join it is a fault, and faults are planted elsewhere.
  const joins = [others["Expected"], others["QueryFilter"], others["ScanFilter"]].some(
    (each) => each !== undefined,
  );
  return {
    operation,
    input: present({ TableName: table.name, ...others, ...(joins && { ConditionalOperator }) }),
  };
}

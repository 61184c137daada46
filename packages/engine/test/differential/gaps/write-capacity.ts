import type { Answer } from "../run/outcome.ts";
import { answerGap } from "./answer-gap.ts";
import type { Gap, Met } from "./gap.ts";
import { plus, type Units } from "./units.ts";

/** A gap in what Local reports of one table, seen beside what the engine reports of it. */
function unitsGap(name: string, source: string, mend: (units: Units, engine: Units, met: Met) => Units): Gap {
  return answerGap(name, source, (answer, engine, met): Answer => {
    const found = answer["ConsumedCapacity"];
    if (found === undefined) return answer;
    const ours = [engine["ConsumedCapacity"] ?? []].flat() as Units[];
    const theirs = [found].flat() as Units[];
    const mended = theirs.map((units) => {
      const same = ours.find((each) => each["TableName"] === units["TableName"]);
      return same === undefined ? units : mend(units, same, met);
    });
    if (mended.every((units, at) => units === theirs[at])) return answer;
    return { ...answer, ConsumedCapacity: Array.isArray(found) ? mended : mended[0] };
  });
}

/** The actions of a transaction on one table. */
function actionsOn(table: unknown, { input }: Met["step"]): readonly Record<string, unknown>[] {
  const actions = (input["TransactItems"] ?? []) as Record<string, { TableName?: string }>[];
  return actions.filter((action) => Object.values(action)[0]?.TableName === table);
}

/** Local charges two units for the deletion of an absent item in a batch. */
export const absentDeleteInBatch: Gap = unitsGap(
  "the deletion of an absent item costs 2 in a batch",
  "AWS docs: capacity unit consumption — the deletion of an item that does not exist costs one unit",
  (units, engine, { step: { operation, input } }) => {
    if (operation !== "BatchWriteItem") return units;
    const requests =
      (input["RequestItems"] as Record<string, Record<string, unknown>[]>)[String(units["TableName"])] ?? [];
    const deletes = requests.filter((request) => request["DeleteRequest"] !== undefined).length;
    const over = tableUnits(units) - tableUnits(engine);
    return over > 0 && over <= deletes ? plus(units, -over) : units;
  },
);

/** The table's own units where they are told, else the total. */
function tableUnits(units: Units): number {
  return Number((units["Table"] as Units | undefined)?.["CapacityUnits"] ?? units["CapacityUnits"]);
}

/** In a transaction it costs one, not two. */
export const absentDeleteInTransaction: Gap = unitsGap(
  "the deletion of an absent item costs 1 in a transaction",
  "AWS docs: Amazon DynamoDB transactions, capacity management — two units where a plain write costs one",
  (units, engine, { step }) => {
    if (step.operation !== "TransactWriteItems") return units;
    const [action, ...others] = actionsOn(units["TableName"], step);
    const isDelete = action?.["Delete"] !== undefined && others.length === 0;
    return isDelete && tableUnits(units) === 1 && tableUnits(engine) === 2 ? plus(units, 1) : units;
  },
);

/** Local charges the item that is checked as a read, two units for each 4 KB, and not for each 1 KB. */
export const checkCostsARead: Gap = unitsGap(
  "a condition check is charged as a read in a transaction",
  "AWS docs: Amazon DynamoDB transactions, capacity management — TransactWriteItems consumes write capacity for every item",
  (units, engine, { step }) => {
    if (step.operation !== "TransactWriteItems") return units;
    const [action, ...others] = actionsOn(units["TableName"], step);
    if (action?.["ConditionCheck"] === undefined || others.length > 0) return units;
    const asRead = 2 * Math.ceil(tableUnits(engine) / 2 / 4);
    return tableUnits(units) === asRead ? plus(units, tableUnits(engine) - asRead) : units;
  },
);

/** Several actions of a transaction on one table that cost the same are charged once. */
export const equalCostsOnce: Gap = unitsGap(
  "equal costs of actions on one table are charged once in a transaction",
  "AWS docs: Amazon DynamoDB transactions, capacity management — every item is paid for",
  (units, engine, { step }) => {
    if (step.operation !== "TransactWriteItems" || actionsOn(units["TableName"], step).length < 2)
      return units;
    return JSON.stringify(units) === JSON.stringify(engine) ? units : engine;
  },
);

/** A repeated token is paid for as a read; Local charges the write again. */
export const repeatedToken: Gap = unitsGap(
  "a repeated token costs what the transaction cost",
  "AWS docs: Amazon DynamoDB transactions, idempotency — the read of the items is charged",
  (units, engine, { step: { operation } }) =>
    operation === "TransactWriteItems" && engine["ReadCapacityUnits"] !== undefined ? engine : units,
);

const indexKinds = ["LocalSecondaryIndexes", "GlobalSecondaryIndexes"] as const;

/** Local doubles index units in a transaction. A total alone says too little to tell them apart. */
export const transactionIndexUnits: Gap = unitsGap(
  "index units are doubled in a transaction",
  "measured on AWS by the authors of dynoxide: the factor of transactions applies to the table alone",
  (units, engine, { step: { operation } }) => {
    if (operation !== "TransactWriteItems") return units;
    if (units["Table"] !== undefined) return withIndexes(units, (each) => Number(each) / 2);
    const [ours, theirs] = [Number(engine["CapacityUnits"]), Number(units["CapacityUnits"])];
    return ours < theirs && ours * 2 > theirs ? { ...units, CapacityUnits: ours } : units;
  },
);

/** The units of each index by another rule, undefined for none, and the total that follows. */
function withIndexes(units: Units, rule: (units: unknown, index: string) => number | undefined): Units {
  let total = tableUnits(units);
  const changed: Record<string, unknown> = {};
  for (const kind of indexKinds) {
    if (units[kind] === undefined) continue;
    const entries = Object.entries(units[kind] as Record<string, Units>).flatMap(([index, each]) => {
      const value = rule(each["CapacityUnits"], index);
      total += value ?? 0;
      return value === undefined ? [] : [[index, { CapacityUnits: value }] as const];
    });
    changed[kind] = entries.length === 0 ? undefined : Object.fromEntries(entries);
  }
  return Object.keys(changed).length === 0 ? units : { ...units, ...changed, CapacityUnits: total };
}

/** The indexes of the test tables that have two key attributes of their own. */
const compositeIndexes: ReadonlySet<string> = new Set(["by-g-h", "by-h-keys"]);

/** Local charges an index of two key attributes for an item that has one of them, before and after the write. */
export const indexWithoutItem: Gap = unitsGap(
  "an index that never holds the item is charged",
  "conformance suites run against AWS: a write that costs an index nothing reports no units of it",
  (units, engine, { step: { operation } }) => {
    if (!/^(PutItem|UpdateItem|DeleteItem|BatchWriteItem|TransactWriteItems)$/.test(operation)) return units;
    if (units["Table"] !== undefined)
      return withIndexes(units, (each, index) => leastOf(each, index, engine));
    const over = Number(units["CapacityUnits"]) - Number(engine["CapacityUnits"]);
    const composite = String(units["TableName"]).endsWith("-indexed");
    return composite && over > 0 && over <= 2 * maxRequests ? plus(units, -over) : units;
  },
);

/** A batch of the generator has at most so many requests for one table. */
const maxRequests = 6;

function leastOf(units: unknown, index: string, engine: Units): number | undefined {
  if (!compositeIndexes.has(index)) return Number(units);
  const ours = (engine["GlobalSecondaryIndexes"] as Record<string, Units> | undefined)?.[index];
  const least = ours && Number(ours["CapacityUnits"]);
  return least === undefined || least < Number(units) ? least : Number(units);
}

/** Local leaves out which of a transaction's units were read and which written. */
export const transactionSplit: Gap = unitsGap(
  "transactions do not tell reads and writes apart",
  "AWS: API_ConsumedCapacity, ReadCapacityUnits and WriteCapacityUnits; seen on AWS for transactions",
  (units, _engine, { step: { operation } }) => {
    if (operation !== "TransactWriteItems" && operation !== "TransactGetItems") return units;
    const name = operation === "TransactGetItems" ? "ReadCapacityUnits" : "WriteCapacityUnits";
    return units[name] === undefined ? split(units, name) : units;
  },
);

function split(units: Units, name: string): Units {
  const both = (each: Units) => ({ ...each, [name]: each["CapacityUnits"] });
  const entries = Object.entries(both(units)).map(([member, value]) => {
    if (member === "Table") return [member, both(value as Units)];
    if (value === undefined || !member.endsWith("Indexes")) return [member, value];
    const indexes = Object.entries(value as Record<string, Units>).map(([index, each]) => [
      index,
      both(each),
    ]);
    return [member, Object.fromEntries(indexes)];
  });
  return Object.fromEntries(entries) as Units;
}

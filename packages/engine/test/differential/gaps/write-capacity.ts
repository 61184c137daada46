import { answerGap } from "./answer-gap.ts";
import type { Gap } from "./gap.ts";
import { plus } from "./read-capacity.ts";

type Units = Readonly<Record<string, unknown>>;

/** The two reports of one table, or undefined where Local has none. */
function pairsOf(local: unknown, engine: unknown): readonly (readonly [Units, Units])[] {
  const others = new Map(((engine ?? []) as Units[]).map((units) => [units["TableName"], units]));
  return ((local ?? []) as Units[]).map((units) => [units, others.get(units["TableName"]) ?? {}] as const);
}

function actionsOn(table: unknown, input: Readonly<Record<string, unknown>>, kind: string): number {
  const items = (input["TransactItems"] ?? []) as Record<string, { TableName?: string }>[];
  return items.filter((item) => item[kind]?.TableName === table).length;
}

/** Local charges two units for the deletion of an absent item in a batch, and one, not two, in a transaction. */
export const absentDeleteCapacity: Gap = answerGap(
  "the deletion of an absent item costs 2 in a batch, 1 in a transaction",
  "AWS docs: capacity unit consumption — deleting a nonexistent item costs one unit; transactions cost twice",
  (answer, engine, { step: { operation, input } }) => {
    if (operation !== "BatchWriteItem" && operation !== "TransactWriteItems") return answer;
    const pairs = pairsOf(answer["ConsumedCapacity"], engine["ConsumedCapacity"]);
    const mended = pairs.map(([units, other]) => {
      const off = Number(tableUnits(other)) - Number(tableUnits(units));
      const deletes =
        operation === "BatchWriteItem"
          ? -deletesOf(input["RequestItems"], units["TableName"])
          : actionsOn(units["TableName"], input, "Delete");
      const fits = deletes < 0 ? off < 0 && off >= deletes : off > 0 && off <= deletes;
      return fits ? plus(units, off) : units;
    });
    return mended.every((units, at) => units === pairs[at]?.[0])
      ? answer
      : { ...answer, ConsumedCapacity: mended };
  },
);

/** The table's own units where they are told, else the total. */
function tableUnits(units: Units): unknown {
  return (units["Table"] as Units | undefined)?.["CapacityUnits"] ?? units["CapacityUnits"];
}

function deletesOf(requests: unknown, table: unknown): number {
  const list = (requests as Record<string, Record<string, unknown>[]>)[table as string] ?? [];
  return list.filter((request) => request["DeleteRequest"] !== undefined).length;
}

/** Local doubles index units in a transaction. Only told apart with INDEXES: a total says too little to check it. */
export const transactionIndexCapacity: Gap = answerGap(
  "index units are doubled in a transaction",
  "measured on AWS by the authors of dynoxide: the factor of transactions applies to the table alone",
  (answer, engine, { step: { operation } }) => {
    if (operation !== "TransactWriteItems") return answer;
    const pairs = pairsOf(answer["ConsumedCapacity"], engine["ConsumedCapacity"]);
    const mended = pairs.map(([units, other]) => halved(units, other));
    return mended.every((units, at) => units === pairs[at]?.[0])
      ? answer
      : { ...answer, ConsumedCapacity: mended };
  },
);

function halved(units: Units, other: Units): Units {
  if (units["Table"] === undefined) {
    const [mine, theirs] = [Number(other["CapacityUnits"]), Number(units["CapacityUnits"])];
    return mine < theirs && mine * 2 > theirs ? { ...units, CapacityUnits: mine } : units;
  }
  let total = Number((units["Table"] as Units)["CapacityUnits"]);
  const halves: Record<string, unknown> = {};
  for (const kind of ["LocalSecondaryIndexes", "GlobalSecondaryIndexes"]) {
    if (units[kind] === undefined) continue;
    const entries = Object.entries(units[kind] as Record<string, Units>).map(([index, each]) => {
      const half = Number(each["CapacityUnits"]) / 2;
      total += half;
      return [index, { CapacityUnits: half }] as const;
    });
    halves[kind] = Object.fromEntries(entries);
  }
  return Object.keys(halves).length === 0 ? units : { ...units, ...halves, CapacityUnits: total };
}

/** Local leaves out which of a transaction's units were read and which written. */
export const transactionSplit: Gap = answerGap(
  "transactions do not tell reads and writes apart",
  "AWS: API_ConsumedCapacity, ReadCapacityUnits and WriteCapacityUnits; seen on AWS for transactions",
  (answer, engine, { step: { operation } }) => {
    if (operation !== "TransactWriteItems" && operation !== "TransactGetItems") return answer;
    const pairs = pairsOf(answer["ConsumedCapacity"], engine["ConsumedCapacity"]);
    if (pairs.length === 0) return answer;
    const name = pairs.some(([, other]) => other["ReadCapacityUnits"] !== undefined)
      ? "ReadCapacityUnits"
      : "WriteCapacityUnits";
    return { ...answer, ConsumedCapacity: pairs.map(([units]) => split(units, name)) };
  },
);

function split(units: Units, name: string): Units {
  return Object.fromEntries(
    Object.entries({ ...units, [name]: units["CapacityUnits"] }).map(([member, value]) => {
      if (member === "Table")
        return [member, { ...(value as Units), [name]: (value as Units)["CapacityUnits"] }];
      if (!member.endsWith("Indexes")) return [member, value];
      const entries = Object.entries(value as Record<string, Units>);
      return [
        member,
        Object.fromEntries(
          entries.map(([index, each]) => [index, { ...each, [name]: each["CapacityUnits"] }]),
        ),
      ];
    }),
  );
}

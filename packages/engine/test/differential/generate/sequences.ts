import fc from "fast-check";
import type { Step } from "../step.ts";
import type { TestTable } from "../tables.ts";
import { batchGet, batchWrite, largeItems, transactGet, transactWrite } from "./batches.ts";
import { legacyRead, legacyWrite } from "./legacy.ts";
import { malformed } from "./malformed.ts";
import { getItem, query, scan } from "./reads.ts";
import { sometimes } from "./sometimes.ts";
import { deleteItem, putItem, updateItem } from "./writes.ts";

const sequenceLength = 50;

/** Steps over the tables, in the proportions of the list. */
function step(tables: readonly TestTable[]): fc.Arbitrary<Step> {
  const onOne = (make: (table: TestTable) => fc.Arbitrary<Step>) => fc.oneof(...tables.map(make));
  const valid = fc.oneof(
    { weight: 12, arbitrary: onOne(putItem) },
    { weight: 14, arbitrary: onOne(updateItem) },
    { weight: 5, arbitrary: onOne(deleteItem) },
    { weight: 4, arbitrary: onOne(getItem) },
    { weight: 12, arbitrary: onOne(query) },
    { weight: 5, arbitrary: onOne(scan) },
    { weight: 3, arbitrary: batchGet(tables) },
    { weight: 5, arbitrary: batchWrite(tables) },
    { weight: 6, arbitrary: transactWrite(tables) },
    { weight: 3, arbitrary: transactGet(tables) },
    { weight: 5, arbitrary: onOne(legacyWrite) },
    { weight: 5, arbitrary: onOne(legacyRead) },
  );
  const large = tables.find(({ name }) => name.endsWith("-indexed"));
  return fc.oneof(
    { weight: 180, arbitrary: valid },
    { weight: 20, arbitrary: malformed(valid) },
    ...(large === undefined ? [] : [{ weight: 1, arbitrary: largeItems(large) }]),
  );
}

/** In this many of a hundred cases a step is done twice: with its token, if it has one. */
const repeatedPercent = 8;

/** Sequences of 50 steps. A step can shrink to nothing, so that a failing sequence shrinks to the steps that matter. */
export function sequences(tables: readonly TestTable[]): fc.Arbitrary<readonly Step[]> {
  const chosen = fc.tuple(step(tables), sometimes(repeatedPercent, fc.constant(true)));
  const place = fc.option(chosen, { nil: undefined, freq: 100_000 });
  return fc
    .array(place, { minLength: sequenceLength, maxLength: sequenceLength })
    .map((places) => places.flatMap(stepsAt).slice(0, sequenceLength));
}

function stepsAt(place: readonly [Step, true | undefined] | undefined): Step[] {
  if (place === undefined) return [];
  const [chosen, repeated] = place;
  return repeated ? [chosen, chosen] : [chosen];
}

import { isDynamoError } from "@tablekeep/core";
import { answerJson } from "@tablekeep/engine";
import fc, { type Arbitrary } from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openThings, type Things } from "./things.ts";

let things: Things;

beforeAll(async () => {
  things = await openThings();
});

afterAll(() => things.engine.close());

const words =
  "SELECT * FROM things WHERE pk = 'p' AND sk OR NOT IN BETWEEN IS MISSING NULL UPDATE SET REMOVE INSERT INTO VALUE DELETE " +
  "RETURNING ALL MODIFIED OLD NEW ORDER BY DESC EXISTS ( ) [ ] { } << >> , . : ? 1 -1 .5 1e999 'x' '' \"sk\" \"by-g\" m n x " +
  "+ - < > <= >= <> size begins_with contains attribute_type attribute_exists list_append set_add set_delete if_not_exists " +
  "__proto__ constructor '__proto__' toString true ; -- /* */ ` ' \" \0";

/** Valid statements with a few parts inserted, removed or exchanged. */
const begun = [
  "SELECT * FROM things WHERE pk = 'p' AND sk = 'a'",
  "SELECT m.x[0], n FROM things WHERE pk IN ['p', ?] AND begins_with(sk, ?) ORDER BY pk DESC",
  `SELECT n FROM "things"."by-g" WHERE pk = ? AND n BETWEEN 1 AND ?`,
  "INSERT INTO things VALUE {'pk': 'z', 'sk': ?, 'l': [1, {'a': <<'x'>>}]}",
  "UPDATE things SET n = n + ? SET m.x = list_append(m.x, ?) REMOVE l WHERE pk = 'p' AND sk = 'a' RETURNING ALL NEW *",
  "DELETE FROM things WHERE pk = 'p' AND sk = ? AND n IN [1, 2]",
  "EXISTS(SELECT * FROM things WHERE pk = 'p' AND sk = 'a' AND n = 1)",
];
const piece = fc.constantFrom(...words.split(" "));
const statements: Arbitrary<string> = fc
  .record({
    start: fc.constantFrom(...begun),
    changes: fc.array(
      fc.record({ at: fc.nat(40), taken: fc.nat(2), put: fc.array(piece, { maxLength: 3 }) }),
      {
        maxLength: 3,
      },
    ),
  })
  .map(({ start, changes }) => {
    const pieces = start.split(/ |(?=[()[\]{},:?])|(?<=[()[\]{},:?])/);
    for (const { at, taken, put } of changes) pieces.splice(at % (pieces.length + 1), taken, ...put);
    return pieces.join(" ");
  });

const parameters = fc.array(
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc.constantFrom<unknown>(
        { S: "p" },
        { S: "" },
        { N: "1" },
        { L: [] },
        { SS: ["a"] },
        { B: "AA==" },
      ),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom<unknown>(
        {},
        null,
        1,
        { N: "x" },
        { M: { __proto__: { S: "a" } } },
        { S: "a", N: "1" },
      ),
    },
  ),
  { maxLength: 4 },
);

async function answersOrRejects(operation: string, input: object): Promise<void> {
  try {
    answerJson(await things.engine.execute(operation, input));
  } catch (error) {
    expect(isDynamoError(error), `${JSON.stringify(input)}: ${String(error)}`).toBe(true);
  }
}

describe("statements of any kind are either answered or rejected", () => {
  test("one by one, in batches and in transactions", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(statements, parameters), { minLength: 1, maxLength: 3 }),
        async (chosen) => {
          const requests = chosen.map(([Statement, Parameters]) => ({ Statement, Parameters }));
          for (const request of requests) await answersOrRejects("ExecuteStatement", request);
          await answersOrRejects("BatchExecuteStatement", { Statements: requests });
          await answersOrRejects("ExecuteTransaction", { TransactStatements: requests });
        },
      ),
      { numRuns: 1_500 },
    );
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  test("with any value in place of a statement", async () => {
    await fc.assert(
      fc.asyncProperty(fc.anything(), fc.anything(), async (statement, given) => {
        const request = { Statement: statement, Parameters: given };
        await answersOrRejects("ExecuteStatement", request);
        await answersOrRejects("BatchExecuteStatement", { Statements: [request, given] });
        await answersOrRejects("ExecuteTransaction", {
          TransactStatements: given,
          ClientRequestToken: statement,
        });
      }),
      { numRuns: 500 },
    );
  });
});

import { expect, test } from "vitest";
import { answerJson } from "../answer/answer.ts";
import { openEngine } from "../engine.ts";
import { statementChange } from "./statement-change.ts";

test("returns what a statement changed, and nothing of one that read or changed nothing", async () => {
  await using engine = await openEngine({ storage: { kind: "memory" } });
  await engine.createTable({
    TableName: "words",
    BillingMode: "PAY_PER_REQUEST",
    KeySchema: [{ AttributeName: "id", KeyType: "HASH" }],
    AttributeDefinitions: [{ AttributeName: "id", AttributeType: "S" }],
  });
  const run = (Statement: string) => engine.execute("ExecuteStatement", { Statement });
  const changeOf = async (statement: string) => {
    const change = statementChange(await run(statement));
    return change && [change.before, change.after];
  };
  const [one, two] = ["1", "2"].map((N) => ({ id: { S: "a" }, n: { N } }));
  expect(await changeOf("INSERT INTO words VALUE {'id': 'a', 'n': 1}")).toEqual([undefined, one]);
  expect(await changeOf("UPDATE words SET n = 2 WHERE id = 'a'")).toEqual([one, two]);
  expect(await changeOf("UPDATE words SET n = 2 WHERE id = 'a'")).toBeUndefined();
  expect(await changeOf("SELECT * FROM words")).toBeUndefined();
  expect(answerJson(await run("DELETE FROM words WHERE id = 'a'"))).toBe('{"Items":[]}');
  expect(await changeOf("DELETE FROM words WHERE id = 'a'")).toBeUndefined();
});

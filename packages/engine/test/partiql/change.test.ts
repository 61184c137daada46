import type { ExecuteStatementInput } from "@tablekeep/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { n, openThings, s, type Things } from "./things.ts";

let things: Things;

beforeAll(async () => {
  things = await openThings();
});

afterAll(() => things.engine.close());

describe("INSERT, UPDATE and DELETE", () => {
  const one = "pk = 'w' AND sk = 'x'";

  test("INSERT accepts every literal, and __proto__ as a name", async () => {
    const statement = `INSERT INTO things VALUE {'pk': 'w', 'sk': 'x', '__proto__': {'polluted': true}, 'e': {'m': {}, 'l': [], 's': <<1, 2.50>>}, 'z': -1e2}`;
    expect((await things.execute(statement)).Items).toEqual([]);
    const { Items: [item] = [] } = await things.execute(`SELECT * FROM things WHERE ${one}`);
    expect(Object.keys(item ?? {}).sort()).toEqual(["__proto__", "e", "pk", "sk", "z"]);
    expect(item?.["z"]).toEqual(n(-100));
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
    const { exception, serviceMessage } = await things.rejection(statement);
    expect([exception, serviceMessage]).toEqual([
      "DuplicateItemException",
      "Duplicate primary key exists in table",
    ]);
  });

  test("UPDATE changes nested places, sets and lists", async () => {
    await things.execute(
      `UPDATE things SET e.m.a = 1 SET e.l = list_append(e.l, [1, 'two']), e.s = set_add(e.s, <<7>>) REMOVE z WHERE ${one}`,
    );
    const { Items } = await things.execute(
      `UPDATE things SET e.s = set_delete(e.s, <<1>>) SET e.m.a = e.m.a + 2 - 1 WHERE ${one} RETURNING ALL NEW *`,
    );
    expect(Items?.[0]?.["e"]).toEqual({
      M: { m: { M: { a: n(2) } }, l: { L: [n(1), s("two")] }, s: { NS: ["2.5", "7"] } },
    });
    const modified = await things.execute(
      `UPDATE things SET e.m.a = 9, c = if_not_exists(c, 5) WHERE ${one} RETURNING MODIFIED NEW *`,
    );
    expect(modified.Items).toEqual([{ e: { M: { m: { M: { a: n(9) } } } }, c: n(5) }]);
  });

  test("a failed condition returns the item on request", async () => {
    const ask = { ReturnValuesOnConditionCheckFailure: "ALL_OLD" } as const;
    const update = await things.rejection(`UPDATE things SET c = 6 WHERE ${one} AND c = 1`, ask);
    expect(update.exception).toBe("ConditionalCheckFailedException");
    expect(update.item?.["c"]).toEqual(n(5));
    const remove = await things.rejection(`DELETE FROM things WHERE ${one} AND c = 1`, ask);
    expect(remove.item?.["c"]).toEqual(n(5));
  });

  test("DELETE of a missing item succeeds, whatever its condition", async () => {
    expect(
      (await things.execute("DELETE FROM things WHERE pk = 'w' AND sk = 'nobody' AND c = 1")).Items,
    ).toEqual([]);
  });

  test("writes cost as much as those of item operations", async () => {
    const asked = { ReturnConsumedCapacity: "INDEXES" } as const;
    const { ConsumedCapacity } = await things.execute(`UPDATE things SET g = 'v', h = 1 WHERE ${one}`, asked);
    expect(ConsumedCapacity).toMatchObject({
      CapacityUnits: 4,
      Table: { CapacityUnits: 1 },
      GlobalSecondaryIndexes: { "by-g-h": { CapacityUnits: 1 }, keys: { CapacityUnits: 1 } },
    });
    expect(
      (await things.execute(`DELETE FROM things WHERE ${one}`, asked)).ConsumedCapacity?.CapacityUnits,
    ).toBe(4);
  });

  const noKey = "Where clause does not contain a mandatory equality on all key attributes";
  test.each([
    ["UPDATE things SET a = 1", noKey],
    ["UPDATE things SET a = 1 WHERE pk = 'p'", noKey],
    ["UPDATE things SET a = 1 WHERE pk = 'p' AND sk IN ['a']", noKey],
    ["UPDATE things SET a = 1 WHERE (pk = 'p' AND sk = 'a') OR n = 1", noKey],
    ["DELETE FROM things WHERE pk = 'p' AND sk > 'a'", noKey],
    [
      "DELETE FROM things WHERE pk = 'p' AND sk = 'a' AND sk = 'b'",
      "Multiple conditions on same key sk. Only single item Update/Insert/Delete are supported",
    ],
    [
      "UPDATE things SET a = 1 WHERE pk = 1 AND sk = 'a'",
      "Key attribute's data type should match its data type in table's schema: Key pk",
    ],
    [
      "UPDATE things SET pk = 'b' WHERE pk = 'p' AND sk = 'a'",
      "One or more parameter values were invalid: Cannot update attribute pk. This attribute is part of the key",
    ],
    [
      "UPDATE things SET n = n * 2 WHERE pk = 'p' AND sk = 'a'",
      "Unsupported operator in Update Expression. Operator: *",
    ],
    [
      "UPDATE things SET n = -n WHERE pk = 'p' AND sk = 'a'",
      "Incorrect number of operands for operator or function; operator or function: -, number of operands: 1",
    ],
    [
      "UPDATE things SET n = n + 'a' WHERE pk = 'p' AND sk = 'a'",
      "Incorrect operand type for operator or function; operator or function: +, operand type: S",
    ],
    [
      "UPDATE things SET n = size(m) WHERE pk = 'p' AND sk = 'a'",
      "The function is not allowed in an update expression; function: size",
    ],
    ["UPDATE things SET n = foo(m) WHERE pk = 'p' AND sk = 'a'", "Unrecognized function: foo at 1:23:3"],
    [
      "UPDATE things SET a = set_add(b, <<1>>) WHERE pk = 'p' AND sk = 'a'",
      "The first argument to SET_ADD must equal the assignment value at 1:23:7",
    ],
    [
      "UPDATE things SET a = set_delete(a, 1) WHERE pk = 'p' AND sk = 'a'",
      "The second argument to SET_DELETE must be a value with type SET at 1:34:1",
    ],
    [
      "UPDATE things SET a = absent WHERE pk = 'p' AND sk = 'a'",
      "The provided expression refers to an attribute that does not exist in the item",
    ],
    [
      "UPDATE things SET a = 1 REMOVE a WHERE pk = 'p' AND sk = 'a'",
      "Two document paths overlap with each other; must remove or rewrite one of these paths; path one: [a], path two: [a]",
    ],
    ["INSERT INTO things VALUE {'pk': 'a'}", "Key attribute should be present in the item: Key sk"],
    [
      "INSERT INTO things VALUE {'pk': 'a', 'sk': 1}",
      "Key attribute's data type should match its data type in table's schema: Key sk",
    ],
    [
      "INSERT INTO things VALUE {'pk': 'a', 'sk': 'a', 'x': 1, 'x': 2}",
      "Duplicate keys in tuple. Key: x at 1:57:3",
    ],
    [
      "INSERT INTO things VALUE {'pk': 'a', 'sk': 'a', x: 1}",
      "Tuple keys must be of type String. Actual type: VariableReference at 1:49:1",
    ],
    [
      "INSERT INTO things VALUE {'pk': 'a', 'sk': 'a', 'x': y}",
      "Unsupported data type: VariableReference under key root at 1:54:1",
    ],
    ["INSERT INTO things VALUE {'pk': 'a', 'sk': 'a', '': 1}", "Path component cannot be an empty string"],
    [
      "INSERT INTO things VALUE 1",
      "Unsupported format in item expression. Please use struct format {...} to express item values for insert statement. at 1:26:1",
    ],
  ])("%s is rejected", async (statement, message) => {
    const { exception, serviceMessage } = await things.rejection(statement);
    expect([exception, serviceMessage]).toEqual(["ValidationException", message]);
  });

  test("a sum of thousands and a value nested too deeply are rejected", async () => {
    const sum = `UPDATE things SET a = 1${" + 1".repeat(1_500)} WHERE pk = 'p' AND sk = 'a'`;
    expect((await things.rejection(sum)).serviceMessage).toBe(
      "The expression contains too many operators; operator count: 301",
    );
    const deep = `INSERT INTO things VALUE {'pk': 'a', 'sk': 'a', 'x': ${"[".repeat(40)}${"]".repeat(40)}}`;
    expect((await things.rejection(deep)).serviceMessage).toMatch(
      /^Nesting Levels have exceeded supported limits/,
    );
  });

  test("a parameter is a whole value, never a part of one", async () => {
    const insert = "INSERT INTO things VALUE {'pk': 'a', 'sk': 'a', 'x': [?]}";
    expect((await things.rejection(insert, { Parameters: [n(1)] })).serviceMessage).toBe(
      "Unsupported data type: Parameter under key root[0] at 1:55:1",
    );
  });

  test.each([
    ["statement", { Statement: undefined }],
    ["statement", { Statement: "" }],
    ["statement", { Statement: "x".repeat(8_193) }],
    ["parameters", { Statement: "SELECT * FROM things", Parameters: [] }],
    ["limit", { Statement: "SELECT * FROM things", Limit: 0 }],
    ["nextToken", { Statement: "SELECT * FROM things", NextToken: "" }],
  ])("a request whose %s has the wrong shape is rejected", async (member, input) => {
    const { serviceMessage } = await things.rejection("", input as Partial<ExecuteStatementInput>);
    expect(serviceMessage).toMatch(/^1 validation error detected: /);
    expect(serviceMessage).toContain(`'${member}'`);
  });

  test("a table that does not exist is not found", async () => {
    expect((await things.rejection("SELECT * FROM nobody")).exception).toBe("ResourceNotFoundException");
    expect((await things.rejection("INSERT INTO nobody VALUE {'pk': 'a'}")).exception).toBe(
      "ResourceNotFoundException",
    );
  });
});

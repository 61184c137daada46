import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { localPort } from "../../test/local-port.ts";
import { newTable } from "../../test/new-table.ts";
import { type FaultyPort, faultyPort } from "../index.ts";

const endpoint = inject("dynamoDbLocal");

describe.skipIf(endpoint === "")("which requests a fault hits", () => {
  const port = localPort(endpoint);
  let TableName = "";
  let other = "";
  beforeAll(async () => {
    TableName = await newTable(port);
    other = await newTable(port);
  });
  afterAll(() => port.close());

  const Key = { pk: { S: "p" }, sk: { S: "s" } };
  /** Sends puts and gets in turn, and returns which failed. */
  const failures = async (faulty: FaultyPort, requests: number): Promise<number[]> => {
    const failed: number[] = [];
    for (let number = 1; number <= requests; number++) {
      const table = number % 4 === 0 ? other : TableName;
      const request =
        number % 2 === 1
          ? faulty.putItem({ TableName: table, Item: Key })
          : faulty.getItem({ TableName: table, Key });
      await request.catch(() => failed.push(number));
    }
    return failed;
  };

  test.each([
    ["at:3", [3]],
    ["at:3..5", [3, 4, 5]],
    ["op:PutItem", [1, 3, 5, 7]],
    ["at:2,op:PutItem", []],
    ["nth:2..3,op:PutItem", [3, 5]],
    ["nth:2,op:GetItem", [4]],
    ["times:2", [1, 2]],
    ["op:GetItem,times:1", [2]],
    ["p:0", []],
    ["op:Scan", []],
  ])("{%s} of eight requests", async (place, expected) => {
    const faulty = faultyPort(port, `seed=1 faults=[{${place},kind:throttle}]`);
    expect(await failures(faulty, 8)).toEqual(expected);
    expect(faulty.log.map((each) => each.request)).toEqual(expected);
  });

  test("only those of one table", async () => {
    const faulty = faultyPort(port, `seed=1 faults=[{table:${other},kind:throttle}]`);
    expect(await failures(faulty, 8)).toEqual([4, 8]);
  });

  test("a probability is decided by the seed: the same again, another with another seed", async () => {
    const run = (seed: number) =>
      failures(faultyPort(port, `seed=${seed} faults=[{p:.3,kind:unreachable}]`), 200);
    const first = await run(1);
    expect(await run(1)).toEqual(first);
    expect(await run(2)).not.toEqual(first);
    // 60 expected, standard deviation 6.5.
    expect(Math.abs(first.length - 60)).toBeLessThan(33);
  });

  test("taking one fault away does not move the others", async () => {
    const one = "{op:PutItem,kind:unreachable,p:.5}";
    const both = faultyPort(port, `seed=3 faults=[{op:GetItem,kind:throttle,p:.5},${one}]`);
    const alone = faultyPort(port, `seed=3 faults=[${one}]`);
    const puts = (await failures(both, 60)).filter((number) => number % 2 === 1);
    expect(puts.length).toBeGreaterThan(5);
    expect(await failures(alone, 60)).toEqual(puts);
  });

  test("the printed schedule replays the run", async () => {
    const faulty = faultyPort(port, { seed: 11, faults: [{ kind: "throttle", p: 0.4 }] });
    const failed = await failures(faulty, 40);
    expect(faulty.schedule).toBe("seed=11 faults=[{kind:throttle,p:.4}]");
    expect(await failures(faultyPort(port, faulty.schedule), 40)).toEqual(failed);
  });
});

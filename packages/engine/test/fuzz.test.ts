import { type DynamoError, isDynamoError, operationNames } from "@tablekeep/core";
import { answerJson, type Engine, openEngine } from "@tablekeep/engine";
import { seededRandom } from "@tablekeep/testkit";
import { expect, test } from "vitest";
import { answerObject } from "../src/answer/answer.ts";
import { mutate } from "./fuzz/mutate.ts";
import { type Request, tableInput, tableName, validRequests } from "./fuzz/valid-requests.ts";

/** FUZZ_SEED selects another run, FUZZ_REQUESTS a longer one. */
const seed = process.env["FUZZ_SEED"] ?? "1";
const count = Number(process.env["FUZZ_REQUESTS"] ?? 20_000);
/** The tables are restored after this many requests. */
const restoreEvery = 100;

const prototypes = [Object, Array, Function, String, Number, Promise, Map, Set, Error, Uint8Array].map(
  ({ prototype }) => prototype as object,
);
const propertiesOfPrototypes = () => prototypes.map((each) => Reflect.ownKeys(each).map(String).join());

async function seeded(): Promise<{ engine: Engine; requests: Request[] }> {
  const engine = await openEngine({ storage: { kind: "memory" } });
  const { TableDescription } = await engine.createTable(tableInput as never);
  for (let sk = 0; sk < 20; sk++) {
    await engine.putItem({
      TableName: tableName,
      Item: { pk: { S: "p" }, sk: { N: String(sk) }, tag: { S: `t${sk % 3}` } },
    });
  }
  const StreamArn = TableDescription?.LatestStreamArn ?? "";
  const { StreamDescription } = await engine.describeStream({ StreamArn });
  const ShardId = StreamDescription?.Shards?.[0]?.ShardId ?? "";
  const { ShardIterator } = await engine.getShardIterator({
    StreamArn,
    ShardId,
    ShardIteratorType: "TRIM_HORIZON",
  });
  const tableArn = TableDescription?.TableArn ?? "";
  const places = { tableArn, streamArn: StreamArn, shardId: ShardId, iterator: ShardIterator ?? "" };
  return { engine, requests: validRequests(places) };
}

/** Returns the outcome of a request: an answer, or DynamoDB's error. Anything else is thrown. */
async function outcomeOf(engine: Engine, operation: string, input: unknown): Promise<string> {
  try {
    const answer = await engine.execute(operation, input);
    JSON.parse(answerJson(answer));
    answerObject(answer);
    return "answered";
  } catch (error) {
    if (!isDynamoError(error)) throw error;
    const { exception, httpStatus, serviceMessage } = (error as DynamoError).details;
    expect(httpStatus).toBe(400);
    expect(serviceMessage).not.toMatch(/undefined|\[object|NaN at|Cannot read/);
    return exception;
  }
}

function shown(operation: string, input: unknown): string {
  const seen = JSON.stringify(input, (_name, value: unknown) => {
    if (typeof value === "bigint" || typeof value === "symbol" || typeof value === "function")
      return String(value);
    return typeof value === "string" && value.length > 300 ? `${value.slice(0, 300)}…` : value;
  });
  return `FUZZ_SEED=${seed}: ${operation} ${(seen ?? String(input)).slice(0, 3000)}`;
}

test("every unchanged request is carried out", async () => {
  const { engine, requests } = await seeded();
  const checkpoint = await engine.checkpoint();
  const rejected: string[] = [];
  for (const [operation, input] of requests) {
    const outcome = await outcomeOf(engine, operation, input);
    if (outcome !== "answered" && outcome !== "ConditionalCheckFailedException")
      rejected.push(`${operation}: ${outcome}`);
    await engine.restore(checkpoint);
  }
  expect(rejected).toEqual([]);
  await engine.close();
});

test(`${count} wrong requests crash nothing, hang nothing and pollute nothing`, async () => {
  const { engine, requests } = await seeded();
  const checkpoint = await engine.checkpoint();
  const random = seededRandom(seed);
  const before = propertiesOfPrototypes();
  const outcomes = new Map<string, number>();
  const operations = [...operationNames, "__proto__", "constructor", "toString", "", "Explode"];
  for (let number = 1; number <= count; number++) {
    const [name, input] = random.pick(requests);
    const operation = random.chance(0.03) ? random.pick(operations) : name;
    const request = random.chance(0.05) ? input : mutate(input, random);
    let outcome: string;
    try {
      outcome = await outcomeOf(engine, operation, request);
    } catch (error) {
      throw new Error(shown(operation, request), { cause: error });
    }
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    if (number % restoreEvery === 0) {
      expect(propertiesOfPrototypes(), shown(operation, request)).toEqual(before);
      await engine.restore(checkpoint);
    }
  }
  // The mutations reach past the first check: requests of all kinds are accepted, and rejected for all reasons.
  for (const outcome of [
    "answered",
    "ValidationException",
    "SerializationException",
    "ResourceNotFoundException",
  ]) {
    expect(outcomes.get(outcome), `FUZZ_SEED=${seed}: ${outcome}`).toBeGreaterThan(count / 200);
  }
  await engine.close();
});

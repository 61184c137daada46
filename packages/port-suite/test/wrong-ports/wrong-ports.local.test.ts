import { type DynamoPort, dispatchTo, wrapPort } from "@tablekeep/core";
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from "vitest";
import { allCases } from "../../src/all-cases.ts";
import { dynamoPortSuite } from "../../src/port-suite.ts";
import { localPort } from "../local-port.ts";
import type { WrongPort } from "./wrong-port.ts";
import { wrongPorts } from "./wrong-ports.ts";

const endpoint = inject("dynamoDbLocal");

describe.skipIf(endpoint === "")("each wrong port fails the suite", () => {
  const right = localPort(endpoint);
  let current: DynamoPort = right;
  const suite = dynamoPortSuite({
    // One suite for all: the port under test is exchanged between the tests.
    open: () =>
      wrapPort(right, (operation, input, options) => dispatchTo(current)(operation, input, options)),
    backend: "dynamodb-local",
    // Where DynamoDB Local itself has a gap, a failure says nothing about the port.
    cases: allCases.filter((each) => each.gaps?.["dynamodb-local"] === undefined),
    patienceMs: 3_000,
  });
  beforeAll(() => suite.setup());
  afterEach(() => {
    current = right;
  });
  afterAll(() => suite.teardown());

  /** The first case of the area that fails, and how. */
  async function firstFailure(wrong: WrongPort) {
    current = wrong.wrap(right);
    for (const each of suite.cases.filter(({ name }) => name.startsWith(wrong.area))) {
      const error: unknown = await each.run().then(
        () => undefined,
        (reason: unknown) => reason ?? new Error("failed"),
      );
      if (error !== undefined) return { case: each, error };
    }
    return undefined;
  }

  test.each(wrongPorts)("one that $name", async (wrong) => {
    const failure = await firstFailure(wrong);
    expect(failure, `no case that begins with "${wrong.area}" notices`).toBeDefined();
    // A wrapper that crashes by itself is not a port that answers wrongly.
    expect(failure?.error).not.toBeInstanceOf(TypeError);
    current = right;
    await failure?.case.run();
  });
});

test("there are at least thirty wrong ports, each under its own name", () => {
  expect(wrongPorts.length).toBeGreaterThanOrEqual(30);
  expect(new Set(wrongPorts.map((wrong) => wrong.name)).size).toBe(wrongPorts.length);
});

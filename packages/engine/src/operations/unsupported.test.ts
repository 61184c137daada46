import * as dynamodb from "@aws-sdk/client-dynamodb";
import * as streams from "@aws-sdk/client-dynamodb-streams";
import { operationNames, type UpdateTableInput } from "@tablekeep/core";
import { describe, expect, test } from "vitest";
import { openTestDatabase, rejectionOf, tableInput } from "../../test/tables.ts";
import { answerRequest } from "../request/answer-request.ts";
import { MemoryStorage } from "../storage/memory-storage.ts";
import { operations } from "./operation-table.ts";
import { unsupportedFeatures } from "./unsupported.ts";

const unsupportedNames = unsupportedFeatures.flatMap((part) => part.operations);

/** All operations of the SDKs. */
const sdkOperations = [dynamodb, streams]
  .flatMap((sdk) => Object.keys(sdk))
  .flatMap((name) => /^([A-Z]\w+)Command$/.exec(name)?.[1] ?? []);

test("every operation of DynamoDB is supported, or listed as unsupported", () => {
  expect(Object.keys(operations).toSorted()).toEqual(operationNames.toSorted());
  expect([...operationNames, ...unsupportedNames].toSorted()).toEqual(sdkOperations.toSorted());
});

describe("an unsupported feature", () => {
  const { database, port } = openTestDatabase(new MemoryStorage());
  const rejected = (operation: string) =>
    rejectionOf(answerRequest(database, operation, { TableName: "things" }));

  test("is rejected as an unknown operation, with what to do instead", async () => {
    for (const { operations: names, instead } of unsupportedFeatures) {
      for (const name of names) {
        const message = await rejected(name);
        expect(message).toContain(`UnknownOperationException: Tablekeep: ${name}`);
        expect(message).toContain(instead);
      }
    }
    for (const name of ["Nonsense", "__proto__", "constructor", ""]) {
      const message = await rejected(name);
      expect(message).toContain("UnknownOperationException: Tablekeep: ");
      expect(message).toContain(name);
    }
  });

  test("is rejected in a new table and in a change of one, with any value", async () => {
    const words = "ValidationException: Tablekeep: ";
    const policy = unsupportedFeatures.find(({ members }) => members?.includes("ResourcePolicy"));
    const message = await rejectionOf(port.createTable(tableInput({ ResourcePolicy: "{}" })));
    expect(message).toContain(`${words}ResourcePolicy`);
    expect(message).toContain(policy?.instead);
    for (const name of ["GlobalTableSourceArn", "GlobalTableSettingsReplicationMode", "VectorIndexes"]) {
      const input = tableInput({ [name]: [] });
      expect(await rejectionOf(port.createTable(input))).toContain(`${words}${name}`);
    }
    await port.createTable(tableInput());
    const changes = [
      "ReplicaUpdates",
      "MultiRegionConsistency",
      "GlobalTableWitnessUpdates",
      "GlobalTableSettingsReplicationMode",
      "VectorIndexUpdates",
    ];
    for (const name of changes) {
      const input = { TableName: "things", [name]: 1 } as UpdateTableInput;
      expect(await rejectionOf(port.updateTable(input))).toContain(`${words}${name}`);
    }
  });
});

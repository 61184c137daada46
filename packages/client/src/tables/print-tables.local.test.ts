import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CreateTableInput, DynamoPort, UpdateTimeToLiveInput } from "@tablekeep/core";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { openPort } from "../../test/open-port.ts";
import { bareTable, fullTable } from "../../test/sample-tables.ts";
import { tidyPort } from "../../test/table-ports.ts";
import { checkTable } from "./check-table.ts";
import { toAwsCli, toCloudFormation } from "./print-tables.ts";
import type { TableSpec } from "./table-spec.ts";

const endpoint = inject("dynamoDbLocal");

describe.skipIf(endpoint === "")("printed templates", () => {
  let port: DynamoPort;
  let cleanUp: () => Promise<void>;
  beforeAll(() => {
    ({ port, cleanUp } = tidyPort(openPort(endpoint)));
  });
  afterEach(() => cleanUp());
  afterAll(() => port.close());

  it("makes, run as a shell script, tables that are as specified", async () => {
    const specs = localTables();
    for (const [command, input] of awsCalls(toAwsCli(specs))) {
      if (command === "create-table") await port.createTable(input as CreateTableInput);
      if (command === "update-time-to-live") await port.updateTimeToLive(input as UpdateTimeToLiveInput);
    }
    for (const spec of specs) expect(await checkTable(port, spec)).toEqual([]);
  });

  it("makes, read as CloudFormation reads it, tables that are as specified", async () => {
    const specs = localTables();
    const template: Template = JSON.parse(toCloudFormation(specs));
    for (const { Properties } of Object.values(template.Resources)) {
      const { TimeToLiveSpecification, StreamSpecification, ...rest } = Properties;
      await port.createTable({
        ...rest,
        ...(StreamSpecification && { StreamSpecification: { StreamEnabled: true, ...StreamSpecification } }),
      });
      if (TimeToLiveSpecification === undefined) continue;
      await port.updateTimeToLive({ TableName: rest.TableName, TimeToLiveSpecification });
    }
    for (const spec of specs) expect(await checkTable(port, spec)).toEqual([]);
  });
});

/** DynamoDB Local accepts any table class and forgets it; DynamoDB rejects tags with characters that must be escaped. */
function localTables(): TableSpec[] {
  const { tableClass: _, ...full } = fullTable(`full-${randomUUID()}`);
  const tags = { team: "storage", "cost:centre": "42 = all" };
  return [{ ...full, tags }, bareTable(`bare-${randomUUID()}`)];
}

interface Template {
  readonly Resources: Record<
    string,
    {
      readonly Properties: Omit<CreateTableInput, "StreamSpecification"> & {
        readonly StreamSpecification?: { StreamViewType: "NEW_AND_OLD_IMAGES" };
        readonly TimeToLiveSpecification?: UpdateTimeToLiveInput["TimeToLiveSpecification"];
      };
    }
  >;
}

/** Runs a script with an `aws` that only writes its arguments down: each command and its JSON. */
function awsCalls(script: string): [command: string, input: unknown][] {
  const folder = mkdtempSync(join(tmpdir(), "aws-cli-"));
  try {
    writeFileSync(
      join(folder, "aws"),
      '#!/bin/sh\nprintf "%s\\000" "$@" >> "$AWS_CALLS"\nprintf "\\n\\000" >> "$AWS_CALLS"\n',
      {
        mode: 0o755,
      },
    );
    const calls = join(folder, "calls");
    execFileSync("sh", ["-c", script], {
      env: { PATH: `${folder}:${process.env["PATH"]}`, AWS_CALLS: calls },
    });
    return readFileSync(calls, "utf8")
      .split("\n\0")
      .map((call) => call.split("\0"))
      .filter(([, , option]) => option === "--cli-input-json")
      .map(([, command = "", , json = ""]) => [command, JSON.parse(json)]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

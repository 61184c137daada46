import { type OperationName, operationNames } from "@tablekeep/core";
import { fakeClock } from "@tablekeep/testkit";
import { expect, test } from "vitest";
import { untilOver } from "./until-over.ts";

const onlyRead: readonly OperationName[] = [
  "GetItem",
  "Query",
  "Scan",
  "BatchGetItem",
  "TransactGetItems",
  "DescribeTable",
  "ListTables",
  "DescribeTimeToLive",
  "ListTagsOfResource",
  "DescribeLimits",
  "DescribeEndpoints",
  "ListStreams",
  "DescribeStream",
  "GetShardIterator",
  "GetRecords",
];

test.each(operationNames)(
  "%s that is over too early may have changed something, unless it only reads",
  async (name) => {
    const clock = fakeClock();
    const over = expect(
      untilOver(clock, name, { deadlineMs: 10 }, () => new Promise<never>(() => {})),
    ).rejects.toMatchObject({ code: "ENGINE_DEADLINE_EXCEEDED", ambiguous: !onlyRead.includes(name) });
    await clock.advance(10);
    await over;
  },
);

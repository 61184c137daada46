import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { aHistory } from "./examples/a-history.ts";
import { aLongPause } from "./examples/a-long-pause.ts";
import { aLostAnswer } from "./examples/a-lost-answer.ts";
import { aSmallSchedule } from "./examples/a-small-schedule.ts";
import { everyOrder } from "./examples/every-order.ts";
import { stoppingAnywhere } from "./examples/stopping-anywhere.ts";
import { theSameAgain } from "./examples/the-same-again.ts";
import { waitingAnHour } from "./examples/waiting-an-hour.ts";
import { localPort } from "./local-port.ts";
import { newTable } from "./new-table.ts";

const examples = {
  aHistory,
  aLongPause,
  aLostAnswer,
  aSmallSchedule,
  everyOrder,
  stoppingAnywhere,
  theSameAgain,
  waitingAnHour,
};
const folder = new URL("./examples/", import.meta.url);
const textOf = (file: string) => readFileSync(new URL(file, folder), "utf8");

describe("the README", () => {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");

  test.each(readdirSync(folder))("shows %s as it stands", (file) => {
    expect(readme).toContain(`\`\`\`ts\n${textOf(file)}\`\`\`\n`);
  });

  test("has every example run below", () => {
    const exported = readdirSync(folder).map(
      (file) => /export (?:async )?function (\w+)/.exec(textOf(file))?.[1],
    );
    expect(exported.sort()).toEqual(Object.keys(examples).sort());
  });
});

const endpoint = inject("dynamoDbLocal");

describe.skipIf(endpoint === "")("the examples of the README", () => {
  const port = localPort(endpoint);
  let TableName = "";
  beforeAll(async () => {
    TableName = await newTable(port);
  });
  afterAll(() => port.close());

  test.each(Object.entries(examples))("%s", async (_, example) => {
    await example(port, TableName);
  });
});

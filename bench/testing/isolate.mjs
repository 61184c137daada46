/**
 * What it costs to give a test its own things, by `tablekeep/testing`, in CPU of this process: alone, with each kind of thing in use, and
 * beside a whole server for each test. By turns, so that whatever else the machine does meets all of them alike.
 */
import { isolate, startTestServer } from "tablekeep/testing";
import { printTable } from "../lib/print-table.mjs";
import { below, finish } from "../lib/targets.mjs";

const rounds = Number(process.env.BENCH_ROUNDS ?? 9);
const perRound = 20;

const isolated = (use) => async () => {
  const t = await isolate();
  await use(t);
  await t.close();
};
const sides = {
  isolate: isolated(async () => {}),
  "with a table": isolated(({ engine }) =>
    engine.createTable({
      TableName: "carts",
      BillingMode: "PAY_PER_REQUEST",
      AttributeDefinitions: [{ AttributeName: "id", AttributeType: "S" }],
      KeySchema: [{ AttributeName: "id", KeyType: "HASH" }],
    }),
  ),
  "with an inbox": isolated(({ inbox }) => inbox.position()),
  "with a journal and an event": isolated((t) => t.events("cart-1").append({ added: "apple" })),
  "with a shadow": isolated((t) => t.shadow("lamp").report({ on: true })),
  "with a device": isolated((t) => t.device("lamp")),
  "a whole server": async () => {
    const server = await startTestServer();
    await server.stop();
  },
};

const figures = Object.fromEntries(Object.keys(sides).map((name) => [name, []]));
for (let round = -1; round < rounds; round++)
  for (const [name, side] of Object.entries(sides)) {
    const before = process.cpuUsage();
    for (let count = 0; count < perRound; count++) await side();
    const { user, system } = process.cpuUsage(before);
    // The first round compiles the code.
    if (round >= 0) figures[name].push((user + system) / 1000 / perRound);
  }

console.log(`\nA test's own things, opened and closed: ${rounds} rounds of ${perRound}`);
const rows = [["side", "median ms of CPU", "least", "target"]];
for (const [name, all] of Object.entries(figures)) {
  const sorted = all.toSorted((one, other) => one - other);
  const median = sorted[rounds >> 1];
  const target = name === "isolate" ? below("isolate", median, 1.5, "ms") : "-";
  rows.push([name, median.toFixed(2), sorted[0].toFixed(2), target]);
}
printTable(rows);
finish();

/**
 * The http port against the AWS SDK (through the sdk port) in one run: calls a second and CPU a call.
 * First on a server that answers at once, then, for information, on DynamoDB Local if there is a Java.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { httpPort, sdkPort } from "@tablekeep/client";
import { javaVersion, startDynamoDbLocal } from "../../scripts/lib/dynamodb-local.mjs";
import { median } from "../lib/measure.mjs";
import { printTable, times, whole } from "../lib/print-table.mjs";
import { shapes } from "../lib/shapes.mjs";
import { operations, seed, tableInput, workload } from "../lib/workload.mjs";

const credentials = { accessKeyId: "bench", secretAccessKey: "bench" };
const region = "us-east-1";
const seconds = Number(process.env.BENCH_SECONDS ?? 1.5);
const rounds = Number(process.env.BENCH_ROUNDS ?? 3);

async function compare(title, endpoint, inFlights, prepare, shape) {
  const http = httpPort({ endpoint, region, credentials, maxConnections: 64 });
  const sdk = sdkPort(new DynamoDBClient({ endpoint, region, credentials }));
  const table = `bench-${process.pid}-${shape.name}`;
  if (prepare) {
    await http.createTable(tableInput(table));
    await seed(http, table, shape);
  }
  const sides = { http: workload(http, table, shape), sdk: workload(sdk, table, shape) };
  // Both sides write: their items must not meet.
  if (prepare) sides.sdk = workload(sdk, await secondTable(http, `${table}-sdk`, shape), shape);
  console.log(`\n${title}, ${shape.title}`);
  const rows = [["call", "in flight", "http/s", "sdk/s", "ratio", "http µs CPU", "sdk µs CPU", "CPU share"]];
  for (const operation of operations) {
    for (const inFlight of inFlights) {
      const options = { inFlight, seconds };
      const ours = await median(sides.http[operation], options, rounds);
      const theirs = await median(sides.sdk[operation], options, rounds);
      rows.push([
        operation,
        inFlight,
        whole(ours.perSecond),
        whole(theirs.perSecond),
        times(ours.perSecond / theirs.perSecond),
        whole(ours.cpuMicros),
        whole(theirs.cpuMicros),
        (ours.cpuMicros / theirs.cpuMicros).toFixed(2),
      ]);
    }
  }
  printTable(rows);
  await http.close();
  await sdk.close();
}

async function secondTable(port, name, shape) {
  await port.createTable(tableInput(name));
  await seed(port, name, shape);
  return name;
}

const child = fork(new URL("./server/instant-server.mjs", import.meta.url), { stdio: "inherit" });
const [port] = await once(child, "message");
for (const shape of shapes)
  await compare("A server that answers at once", `http://127.0.0.1:${port}`, [1, 16, 64], false, shape);
child.disconnect();

if (javaVersion() >= 17) {
  const local = await startDynamoDbLocal();
  for (const shape of shapes)
    await compare("DynamoDB Local in memory, for information", local.endpoint, [1, 16, 50], true, shape);
  local.stop();
} else {
  console.log("\nNo Java 17: DynamoDB Local is left out.");
}
process.exit();

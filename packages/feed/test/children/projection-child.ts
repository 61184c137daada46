/** One process that runs a projection and the sequencer of its feed, to be killed. Prints a line once it takes part. */
import { writeSync } from "node:fs";
import { httpPort } from "@tablekeep/client";
import { runProjections } from "../../src/projections/index.ts";
import type { ProjectionChildArguments } from "../kill/killed-projection.ts";
import { listsInto } from "../projections/list-projection.ts";

const { endpoint, table, projectionTable, modelTable } = JSON.parse(
  process.argv[2] ?? "",
) as ProjectionChildArguments;
const port = httpPort({ endpoint, credentials: { accessKeyId: "local", secretAccessKey: "local" } });
const running = await runProjections(port, [listsInto(modelTable, { groupSize: 5 })], {
  table: projectionTable,
  feed: { journal: { table }, slices: 4, leaseMs: 300, checkpointMs: 50 },
  leaseMs: 300,
  pollMs: 50,
});
writeSync(1, `${running.runner}\n`);

/** One process of a projection, to be killed: runs it, or the sequencer of its feed. Prints a line once it takes part. */
import { writeSync } from "node:fs";
import { httpPort } from "@tablekeep/client";
import { openFeed } from "../../src/index.ts";
import { runProjections } from "../../src/projections/index.ts";
import type { ProjectionChildArguments } from "../kill/killed-projection.ts";
import { listsInto } from "../projections/list-projection.ts";

const { role, endpoint, table, projectionTable, modelTable } = JSON.parse(
  process.argv[2] ?? "",
) as ProjectionChildArguments;
const port = httpPort({ endpoint, credentials: { accessKeyId: "local", secretAccessKey: "local" } });
const leaseMs = 300;
const feed = { journal: { table }, slices: 4, leaseMs, checkpointMs: 50 };

if (role === "sequence") {
  const opened = await openFeed(port, feed);
  writeSync(1, "sequencer\n");
  await opened.run({ signal: new AbortController().signal });
} else {
  const running = await runProjections(port, [listsInto(modelTable, { groupSize: 5 })], {
    table: projectionTable,
    feed,
    leaseMs,
    pollMs: 50,
    sequencer: false,
  });
  writeSync(1, `${running.runner}\n`);
}

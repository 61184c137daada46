import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { seededRandom } from "@tablekeep/testkit";
import { appendSome } from "../feed-world.ts";
import type { ProjectionWorld } from "../projections/projection-world.ts";

/** Where a child works. */
export interface ProjectionChildArguments {
  readonly endpoint: string;
  readonly table: string;
  readonly projectionTable: string;
  readonly modelTable: string;
}

/** Starts a runner. Returns a function that kills it, at the latest once it takes part. */
async function startRunner(script: string, args: ProjectionChildArguments): Promise<() => Promise<void>> {
  const child = spawn(process.execPath, [script, JSON.stringify(args)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  await Promise.race([once(child.stdout, "data"), ended]);
  return async () => {
    child.kill("SIGKILL");
    await ended;
  };
}

/** Two processes run a projection while events are appended. Again and again one of them is killed and another takes its place. */
export async function killRunners(
  world: ProjectionWorld,
  script: string,
  endpoint: string,
  kills: number,
): Promise<void> {
  const random = seededRandom("projection");
  const { projectionTable, modelTable } = world;
  const args = { endpoint, table: world.options.table ?? "events", projectionTable, modelTable };
  const runners = await Promise.all([startRunner(script, args), startRunner(script, args)]);
  for (let round = 0; round < kills; round++) {
    await appendSome(world, 7, round);
    await pause(random.int(0, 60));
    const at = random.int(0, 1);
    await runners[at]?.();
    runners[at] = await startRunner(script, args);
  }
  for (const kill of runners) await kill();
}

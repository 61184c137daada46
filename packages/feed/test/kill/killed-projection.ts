import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { seededRandom } from "@tablekeep/testkit";
import { openFeed } from "../../src/index.ts";
import { appendSome } from "../feed-world.ts";
import type { ProjectionWorld } from "../projections/projection-world.ts";

/** What a child does, and where. */
export interface ProjectionChildArguments {
  readonly role: "sequence" | "project";
  readonly endpoint: string;
  readonly table: string;
  readonly projectionTable: string;
  readonly modelTable: string;
}

/** Starts a process. Returns a function that kills it, at the earliest once it takes part. */
export async function startProjectionChild(
  script: string,
  args: ProjectionChildArguments,
): Promise<() => Promise<void>> {
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

const roles = ["sequence", "sequence", "project", "project"] as const;

/**
 * Two processes bring events into the feed and two run a projection, while events are appended. Again and again one of them is killed and another takes
 * its place. All are killed at the end.
 */
export async function killProcesses(
  world: ProjectionWorld,
  script: string,
  endpoint: string,
  kills: number,
): Promise<void> {
  const random = seededRandom("projection");
  const { projectionTable, modelTable } = world;
  const { table = "events" } = world.options;
  // A runner without a sequencer needs a feed.
  await (await openFeed(world.port, { journal: world.options, slices: 4 })).create();
  const start = (role: ProjectionChildArguments["role"]) =>
    startProjectionChild(script, { role, endpoint, table, projectionTable, modelTable });
  const children = await Promise.all(roles.map(start));
  for (let round = 0; round < kills; round++) {
    await appendSome(world, 7, round);
    await pause(random.int(0, 60));
    const at = random.int(0, roles.length - 1);
    await children[at]?.();
    children[at] = await start(roles[at] ?? "project");
  }
  for (const kill of children) await kill();
}

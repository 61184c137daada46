/** A process to be killed: runs projections, or controls them at random. Prints a line once it takes part. */
import { writeSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { httpPort } from "@tablekeep/client";
import { isTablekeepError } from "@tablekeep/core";
import { openProjections, type Projections, runProjections } from "@tablekeep/feed/projections";
import { projectionsOf } from "./projections.ts";

const [role = "", endpoint = "", isHealed = ""] = process.argv.slice(2);
const port = httpPort({ endpoint, credentials: { accessKeyId: "any", secretAccessKey: "any" } });
const started = () => writeSync(1, "started\n");

const below = (count: number) => Math.floor(Math.random() * count);

/** Opposite calls: two operators make them at the same time. */
const calls: readonly ((control: Projections) => Promise<unknown>)[] = [
  (control) => control.pause("lists", { version: 1 + below(2) }),
  (control) => control.resume("lists", { version: 1 + below(2) }),
  (control) => control.resume("lists", { version: 1 + below(2) }),
  (control) => control.retryParked("lists", { version: 1 }),
  (control) => control.skip("lists", below(4), { version: 2 }),
  (control) => control.switchTo("lists", 1 + below(2), { force: true }),
  (control) => control.pause("log"),
  (control) => control.resume("log"),
  (control) => control.rewind("log", "start"),
];

if (role === "run") {
  await runProjections(port, projectionsOf(isHealed === "healed"), {
    sequencer: false,
    leaseMs: 300,
    pollMs: 50,
  });
  started();
} else {
  const control = await openProjections(port);
  started();
  for (;;) {
    await calls[below(calls.length)]?.(control).catch((error: unknown) => {
      // A slice that is not stopped, or a change that others have made at the same time.
      const code = isTablekeepError(error) ? error.code : "";
      if (!["PROJECTION_NOT_STOPPED", "PROJECTION_CHANGE_CONTENDED"].includes(code)) throw error;
    });
    await pause(below(40));
  }
}

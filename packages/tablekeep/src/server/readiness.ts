import { type Clock, isTablekeepError } from "@tablekeep/core";
import type { Backend } from "./open-backend.ts";

/** What a server is about. */
export type ServerState = "starting" | "running" | "stopping";

/** Tells whether a server can do its work. */
export interface Readiness {
  /** Undefined if it can; otherwise why not, in words for anybody: no names, no addresses. */
  whyNot(): Promise<string | undefined>;
}

/** Those who ask more often hear the same again, so that asking costs next to nothing. */
const rememberedMs = 1_000;

/** What one look at the tables may take. */
const deadlineMs = 2_000;

/** Ready is a server that runs, reaches its tables, and has met no unexpected error. */
export function readiness(
  backend: Backend,
  clock: Clock,
  state: () => ServerState,
  hasFailed: () => boolean = () => false,
): Readiness {
  let last: { readonly at: number; readonly answer: Promise<string | undefined> } | undefined;
  return {
    async whyNot() {
      if (state() !== "running") return `the server is ${state()}`;
      if (hasFailed()) return "an unexpected error has occurred: look at the log, and restart the server";
      if (last === undefined || clock.monotonic() - last.at > rememberedMs)
        last = { at: clock.monotonic(), answer: unreachable(backend) };
      return last.answer;
    },
  };
}

async function unreachable({ port, tables }: Backend): Promise<string | undefined> {
  const looks = await Promise.allSettled(
    tables.map(({ name }) => port.describeTable({ TableName: name }, { deadlineMs })),
  );
  const failed = looks.flatMap((look) => (look.status === "rejected" ? [look.reason as unknown] : []));
  if (failed.length === 0) return undefined;
  const codes = new Set(failed.map((error) => (isTablekeepError(error) ? error.code : "INTERNAL")));
  return `${failed.length} of ${looks.length} tables cannot be reached: ${[...codes].join(", ")}`;
}

import { type Clock, isTablekeepError } from "@tablekeep/core";
import type { Backend } from "../backend/open-backend.ts";

/** What a server is about. */
export type ServerState = "starting" | "running" | "stopping";

/** Tells whether a server can do its work. */
export interface Readiness {
  /** Undefined if it can; otherwise the reason, in words for anybody: no names of tables, no addresses. */
  whyNot(): Promise<NotReady | undefined>;
}

/** Why a server is not ready. */
export interface NotReady {
  readonly why: string;
  /** The parts of the server that have failed, where the reason is one. */
  readonly parts?: readonly string[];
}

/** What readiness depends on beside the tables. */
export interface ReadinessOptions {
  readonly clock: Clock;
  readonly state: () => ServerState;
  /** The parts that met an uncaught error. @default none */
  readonly failed?: ReadonlySet<string>;
  /** The listeners that are closed although the server runs. @default none */
  readonly down?: ReadonlySet<string>;
}

/** How long an answer is reused, so that frequent checks cost next to nothing. */
const rememberedMs = 1_000;

/** The deadline of one check of the tables. */
const deadlineMs = 2_000;

/** A server is ready while it runs, all its listeners listen, its tables are reachable, and no part has met an uncaught error. */
export function readiness(backend: Backend, options: ReadinessOptions): Readiness {
  const { clock, state, failed = new Set(), down = new Set() } = options;
  let last: { readonly at: number; readonly answer: Promise<NotReady | undefined> } | undefined;
  return {
    async whyNot() {
      if (state() !== "running") return { why: `the server is ${state()}` };
      if (down.size > 0) return { why: `closed listeners: ${list(down)}`, parts: [...down] };
      if (failed.size > 0)
        return {
          why: `uncaught errors in: ${list(failed)}; see the log, then restart the server`,
          parts: [...failed],
        };
      if (last === undefined || clock.monotonic() - last.at > rememberedMs)
        last = { at: clock.monotonic(), answer: unreachable(backend) };
      return last.answer;
    },
  };
}

async function unreachable({ port, tables }: Backend): Promise<NotReady | undefined> {
  const looks = await Promise.allSettled(
    tables.map(({ name }) => port.describeTable({ TableName: name }, { deadlineMs })),
  );
  const failed = looks.flatMap((look) => (look.status === "rejected" ? [look.reason as unknown] : []));
  if (failed.length === 0) return undefined;
  const codes = new Set(failed.map((error) => (isTablekeepError(error) ? error.code : "INTERNAL")));
  return { why: `${failed.length} of ${looks.length} tables cannot be reached: ${list(codes)}` };
}

function list(names: ReadonlySet<string>): string {
  return [...names].join(", ");
}

import { type Clock, isTablekeepError } from "@tablekeep/core";
import type { Backend } from "../backend/open-backend.ts";

/** The lifecycle phase of a server. */
export type ServerState = "starting" | "running" | "stopping";

/** Reports whether a server is ready. */
export interface Readiness {
  /** Undefined if it is ready; otherwise the reason, without table names and addresses, because it can be read without authentication. */
  whyNot(): Promise<NotReady | undefined>;
  /** Background work that fails while requests are served. @default none */
  failing?(): readonly string[];
}

/** Why a server is not ready. */
export interface NotReady {
  readonly why: string;
  /** The failed parts of the server, if they are the reason. */
  readonly parts?: readonly string[];
}

/** Dependencies of readiness beside the tables. */
export interface ReadinessOptions {
  readonly clock: Clock;
  readonly state: () => ServerState;
  /** The parts with an uncaught error. @default none */
  readonly failed?: ReadonlySet<string>;
  /** The listeners that are closed although the server runs. @default none */
  readonly down?: ReadonlySet<string>;
  /** Background work that fails while requests are served. @default none */
  readonly failing?: () => readonly string[];
}

/** How long a result is reused, so that frequent checks cost next to nothing. */
const rememberedMs = 1_000;

/** The deadline of one check of the tables. */
const deadlineMs = 2_000;

/** A server is ready while it runs, all its listeners listen, its tables are reachable, and no part had an uncaught error. */
export function readiness(backend: Backend, options: ReadinessOptions): Readiness {
  const { clock, state, failed = new Set(), down = new Set() } = options;
  let last: { readonly at: number; readonly answer: Promise<NotReady | undefined> } | undefined;
  return {
    failing: options.failing,
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
  const checks = await Promise.allSettled(
    tables.map(({ name }) => port.describeTable({ TableName: name }, { deadlineMs })),
  );
  const failed = checks.flatMap((check) => (check.status === "rejected" ? [check.reason as unknown] : []));
  if (failed.length === 0) return undefined;
  const codes = new Set(failed.map((error) => (isTablekeepError(error) ? error.code : "INTERNAL")));
  return { why: `${failed.length} of ${checks.length} tables cannot be reached: ${list(codes)}` };
}

function list(names: ReadonlySet<string>): string {
  return [...names].join(", ");
}

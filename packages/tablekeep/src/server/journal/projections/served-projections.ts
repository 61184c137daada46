import { isDynamoError } from "@tablekeep/core";
import type { ProjectionRecord, Projections } from "@tablekeep/feed/projections";
import type { Backend } from "../../backend/open-backend.ts";
import type { ResolvedServerOptions } from "../../options/server-options.ts";
import type { ServedJournal } from "../served-journals.ts";

type Common = Pick<ResolvedServerOptions, "clock" | "logger">;

/** The projections of a server's journals, each opened on first use. */
export class ServedProjections {
  readonly #port: Backend["port"];
  readonly #common: Common;
  readonly #opened = new WeakMap<object, Promise<Projections>>();

  constructor({ port }: Pick<Backend, "port">, { clock, logger }: Common) {
    this.#port = port;
    this.#common = { clock, logger };
  }

  /** The projections of a journal. Their table may be missing. */
  of({ config, journal }: Pick<ServedJournal, "config" | "journal">): Promise<Projections> {
    const opening = this.#opened.get(journal) ?? this.#open(config);
    this.#opened.set(journal, opening);
    opening.catch(() => this.#opened.delete(journal));
    return opening;
  }

  async #open({ journal, projectionsTable: table }: ServedJournal["config"]): Promise<Projections> {
    const { openProjections } = await import("@tablekeep/feed/projections");
    return openProjections(this.#port, { ...this.#common, feed: { journal }, ...(table && { table }) });
  }
}

/** Lists projections. Without their table there are none. */
export async function listProjections(
  projections: Projections,
  signal: AbortSignal,
): Promise<readonly ProjectionRecord[]> {
  try {
    return await projections.list({ signal });
  } catch (error) {
    if (isDynamoError(error, "ResourceNotFoundException")) return [];
    throw error;
  }
}

import type { Feed } from "@tablekeep/feed";
import type { Backend } from "../../backend/open-backend.ts";
import { portWithTurns } from "../../backend/port-with-turns.ts";
import type { ResolvedServerOptions } from "../../options/server-options.ts";
import type { ServedJournal } from "../served-journals.ts";

type Common = Pick<ResolvedServerOptions, "clock" | "logger">;

/**
 * The feeds of a server's journals. Each is opened on first use and kept: a sequencer of this server wakes the live readers of
 * the same feed.
 */
export class ServedFeeds {
  readonly #port: Backend["port"];
  readonly #common: Common;
  readonly #opened = new WeakMap<object, Promise<Feed>>();

  constructor({ port }: Pick<Backend, "port">, { clock, logger }: Common) {
    this.#port = port;
    this.#common = { clock, logger };
  }

  /** The feed of a journal, which may not exist yet. */
  of({ config, journal }: Pick<ServedJournal, "config" | "journal">): Promise<Feed> {
    const opening = this.#opened.get(journal) ?? this.#open(this.#port, config.journal);
    this.#opened.set(journal, opening);
    opening.catch(() => this.#opened.delete(journal));
    return opening;
  }

  /** The same feed for a long read of all of it, which gives turns to everything else. */
  forLongRead({ config }: Pick<ServedJournal, "config">): Promise<Feed> {
    return this.#open(portWithTurns(this.#port), config.journal);
  }

  async #open(port: Backend["port"], journal: ServedJournal["config"]["journal"]): Promise<Feed> {
    const { openFeed } = await import("@tablekeep/feed");
    return openFeed(port, { ...this.#common, journal });
  }
}

import { createHash } from "node:crypto";
import { type Clock, type Logger, sleep } from "@tablekeep/core";
import { isMailError, type Mail, type MailSummary } from "@tablekeep/mail";
import type { CursorStore } from "./cursor-store.ts";

/** The target did not accept a message. The reason is logged without a stack. */
export class ForwardFailure extends Error {}

/** A failure after which the same attempt would fail again. */
export class PermanentFailure extends ForwardFailure {}

/** A target that every new message is forwarded to. */
export interface ForwardTarget {
  /** Its name in logs, which is also that of its stored position. */
  readonly name: string;
  /** Whether a message is forwarded. */
  wants(message: MailSummary): boolean;
  /** Rejects if the message was not forwarded: it is tried again, except after a {@link PermanentFailure}. */
  forward(message: MailSummary, signal: AbortSignal): Promise<void>;
}

export interface ForwardOptions {
  readonly mail: Pick<Mail, "watch" | "list" | "summary">;
  readonly cursors: CursorStore;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called for each message that was forwarded, or given up. */
  readonly onOutcome: (outcome: "forwarded" | "failed") => void;
}

/** Running forwarding. */
export interface Forwarding {
  /** Resolves once its position is stored: every later message is forwarded. Also if it ends before that. Never rejects. */
  readonly started: Promise<void>;
  /** Ends it, and saves the position. */
  stop(): Promise<void>;
}

/** Attempts for one message, which take about 18 minutes. */
const maxAttempts = 12;
const firstWaitMs = 1_000;
const maxWaitMs = 300_000;

/** The maximum number of waiting messages. If there are more, the oldest are not forwarded. */
const maxBehind = 100_000;

/** Milliseconds between two saves of the position. */
const saveMs = 1_000;

/** A watcher that continues after a restart returns the messages of the last 30 seconds again; this many of them are recognized. */
const maxForwarded = 1_000;

/**
 * Forwards every message that arrives from now on or, after a restart, since the saved position: each at least once, one
 * after the other. A message that cannot be forwarded is tried again, with growing waits, and then given up.
 */
export function forwardMessages(target: ForwardTarget, options: ForwardOptions): Forwarding {
  const end = new AbortController();
  const forwarder = new Forwarder(target, options, end.signal);
  let begin = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const done = forwarder.run(begin);
  return {
    started: Promise.race([begun, done]),
    async stop() {
      end.abort(new Error("the server is stopping"));
      await done;
    },
  };
}

class Forwarder {
  readonly #target: ForwardTarget;
  readonly #options: ForwardOptions;
  readonly #signal: AbortSignal;
  #cursor = "";
  /** Hashes of the last messages that were forwarded, or given up. */
  readonly #forwarded = new Set<string>();
  #isSaved = false;
  #savedAt = 0;
  #saving = Promise.resolve();
  #cancelSave: (() => void) | undefined;

  constructor(target: ForwardTarget, options: ForwardOptions, signal: AbortSignal) {
    this.#target = target;
    this.#options = options;
    this.#signal = signal;
  }

  /** Never rejects. Calls `onStarted` once its position is stored. */
  async run(onStarted: () => void): Promise<void> {
    const { clock, logger } = this.#options;
    let started = false;
    while (!this.#signal.aborted) {
      try {
        if (!started) await this.#start();
        started = true;
        onStarted();
        await this.#follow();
      } catch (error) {
        if (this.#signal.aborted) break;
        logger.warn("forwarding of messages was interrupted; restarting", {
          target: this.#target.name,
          error,
        });
        await sleep(clock, firstWaitMs, this.#signal, { background: true }).catch(() => {});
      }
    }
    if (started) await this.#save().catch((error: unknown) => this.#warnUnsaved(error));
  }

  /** The first start begins after the newest message. The position is saved at once, so that a crash loses nothing. */
  async #start(): Promise<void> {
    const { mail, cursors } = this.#options;
    const saved = await cursors.load(this.#target.name);
    for (const hash of saved?.forwarded ?? []) this.#forwarded.add(hash);
    const newest = saved?.cursor ?? (await mail.list({ limit: 1, signal: this.#signal })).items[0]?.id;
    this.#cursor = newest ?? "";
    this.#isSaved = saved !== undefined;
    await this.#save();
  }

  async #follow(): Promise<void> {
    const { mail } = this.#options;
    try {
      for await (const message of mail.watch({ after: this.#cursor, signal: this.#signal }))
        await this.#pass(message, message.cursor);
    } catch (error) {
      if (isMailError(error, "MAIL_WATCHER_TOO_SLOW")) await this.#catchUp();
      // The store was replaced by another one: its messages are new.
      else if (isMailError(error, "MAIL_CURSOR_INVALID")) this.#cursor = "";
      else throw error;
    }
  }

  /** Too many messages wait for a watcher to keep: lists them by id. */
  async #catchUp(): Promise<void> {
    const { mail, logger } = this.#options;
    const after = this.#cursor.replace(/~[\w-]+$/, "");
    const ids: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await mail.list({ limit: 250, cursor, signal: this.#signal });
      const newer = page.items.filter(({ id }) => id > after);
      for (const { id } of newer) ids.push(id);
      cursor = newer.length === page.items.length ? page.next : undefined;
      if (ids.length > maxBehind) {
        logger.error("too many messages are waiting to be forwarded; skipping the oldest", {
          target: this.#target.name,
        });
        cursor = undefined;
      }
    } while (cursor !== undefined);
    for (const id of ids.toReversed()) {
      const message = await mail.summary(id, { signal: this.#signal });
      if (message !== undefined) await this.#pass(message, id);
    }
  }

  async #pass(message: MailSummary, cursor: string): Promise<void> {
    // An import must not send old mail to its recipients.
    if (message.imported === undefined && this.#target.wants(message)) await this.#forwardOnce(message);
    this.#signal.throwIfAborted();
    if (this.#cursor !== cursor) this.#isSaved = false;
    this.#cursor = cursor;
    // A crash repeats the messages of the last second.
    if (this.#options.clock.monotonic() - this.#savedAt >= saveMs) await this.#save();
    else this.#saveLater();
  }

  async #forwardOnce(message: MailSummary): Promise<void> {
    const hash = createHash("sha256").update(message.id).digest("base64url").slice(0, 8);
    if (this.#forwarded.has(hash)) return;
    await this.#forward(message);
    this.#forwarded.add(hash);
    this.#isSaved = false;
    const [oldest = ""] = this.#forwarded;
    if (this.#forwarded.size > maxForwarded) this.#forwarded.delete(oldest);
  }

  async #forward(message: MailSummary): Promise<void> {
    const { clock, logger, onOutcome } = this.#options;
    const about = { target: this.#target.name, id: message.id };
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#target.forward(message, this.#signal);
        onOutcome("forwarded");
        return;
      } catch (reason) {
        this.#signal.throwIfAborted();
        const error = reason instanceof ForwardFailure ? reason.message : reason;
        if (reason instanceof PermanentFailure || attempt >= maxAttempts) {
          logger.error("gave up forwarding a message", { ...about, attempt, error });
          onOutcome("failed");
          return;
        }
        logger.warn("could not forward a message; trying again later", { ...about, attempt, error });
      }
      const waitMs = Math.min(maxWaitMs, firstWaitMs * 2 ** (attempt - 1));
      await sleep(clock, waitMs, this.#signal, { background: true });
    }
  }

  /** The position is saved now, because no further message may do so. */
  #saveLater(): void {
    this.#cancelSave ??= this.#options.clock.after(saveMs, () => {
      this.#cancelSave = undefined;
      this.#save().catch((error: unknown) => this.#warnUnsaved(error));
    });
  }

  #warnUnsaved(error: unknown): void {
    this.#options.logger.warn("could not save the position of a forwarder", {
      target: this.#target.name,
      error,
    });
  }

  /** One save after the other, so that none replaces a later one. */
  #save(): Promise<void> {
    this.#cancelSave?.();
    this.#cancelSave = undefined;
    this.#saving = this.#saving.catch(() => {}).then(() => this.#saveNow());
    return this.#saving;
  }

  async #saveNow(): Promise<void> {
    const { cursors, clock } = this.#options;
    this.#savedAt = clock.monotonic();
    if (this.#isSaved) return;
    this.#isSaved = true;
    try {
      await cursors.save(this.#target.name, { cursor: this.#cursor, forwarded: [...this.#forwarded] });
    } catch (error) {
      this.#isSaved = false;
      throw error;
    }
  }
}

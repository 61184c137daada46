import { randomUUID } from "node:crypto";
import type { Clock } from "@tablekeep/core";

/** Transcripts of the last sessions, with and without messages. */
export interface Transcripts {
  /** Returns the sessions, newest first, active ones included. */
  list(): readonly Transcript[];
  /**
   * Returns one session; undefined if it does not exist or was dropped.
   *
   * @example
   * console.log(transcripts.get(id)?.ending);
   */
  get(id: string): Transcript | undefined;
  /**
   * Starts the transcript of a session. Drops the oldest one if there are too many.
   *
   * @example
   * const transcript = transcripts.begin("127.0.0.1:50123");
   * transcript.end("QUIT");
   */
  begin(client: string): TranscriptWriter;
}

/**
 * Creates transcripts of the last `capacity` sessions.
 *
 * @example
 * const transcripts = createTranscripts(systemClock);
 * for (const { client, ending } of transcripts.list()) console.log(client, ending);
 */
export function createTranscripts(clock: Clock, capacity = 200): Transcripts {
  const writers = new Map<string, TranscriptWriter>();
  return {
    list: () => [...writers.values()].reverse().map((writer) => writer.read()),
    get: (id) => writers.get(id)?.read(),
    begin(client) {
      const id = randomUUID();
      const writer = transcriptWriter({ id, client, clock });
      writers.set(id, writer);
      for (const oldest of writers.keys()) {
        if (writers.size <= capacity) break;
        writers.delete(oldest);
      }
      return writer;
    },
  };
}

/** One line of a session: `>` from the client, `<` from the server, `*` a note. */
export interface TranscriptLine {
  /** Milliseconds since the session began. */
  readonly at: number;
  readonly by: ">" | "<" | "*";
  readonly text: string;
}

/** The lines of an SMTP session, without passwords and message contents. */
export interface Transcript {
  readonly id: string;
  /** Address and port of the client. */
  readonly client: string;
  /** Milliseconds since 1970. */
  readonly started: number;
  /** Milliseconds since 1970; undefined while the session is active. */
  readonly ended: number | undefined;
  /** Why the session ended, in a few words. */
  readonly ending: string | undefined;
  readonly secure: boolean;
  /** Ids of the messages that the session stored. */
  readonly stored: readonly string[];
  /** The named inboxes of stored messages, by id; those of the default inbox are missing. */
  readonly inboxes: Readonly<Record<string, string>>;
  /** Number of messages that were started and not stored. */
  readonly failed: number;
  readonly lines: readonly TranscriptLine[];
  /** Number of dropped lines in the middle. */
  readonly leftOut: number;
}

/** Records one session. */
export interface TranscriptWriter {
  add(by: TranscriptLine["by"], text: string): void;
  secured(): void;
  stored(id: string, inbox?: string): void;
  failed(): void;
  /** Records why the session ended. Further calls do nothing. */
  end(reason: string): void;
  /** Returns the transcript so far. */
  read(): Transcript;
}

const keptAtStart = 60;
const keptAtEnd = 60;
const keptIds = 100;
const lineLength = 400;

export interface TranscriptStart {
  readonly id: string;
  readonly client: string;
  readonly clock: Clock;
}

/** Creates a transcript of bounded size: it keeps the start and the end of a long session. */
function transcriptWriter({ id, client, clock }: TranscriptStart): TranscriptWriter {
  const started = clock.now();
  const origin = clock.monotonic();
  const head: TranscriptLine[] = [];
  const tail: TranscriptLine[] = [];
  const stored: { readonly id: string; readonly inbox: string | undefined }[] = [];
  let leftOut = 0;
  let failed = 0;
  let secure = false;
  let ending: string | undefined;
  let ended: number | undefined;
  return {
    add(by, text) {
      const at = Math.round(clock.monotonic() - origin);
      const start = text.length > lineLength ? `${text.slice(0, lineLength)}…` : text;
      // Transcripts are also printed in terminals.
      const line = { at, by, text: start.replace(/\p{Cc}/gu, "?") };
      if (head.length < keptAtStart) head.push(line);
      else if (tail.push(line) > 2 * keptAtEnd) leftOut += tail.splice(0, keptAtEnd).length;
    },
    secured() {
      secure = true;
    },
    stored(message, inbox) {
      if (stored.push({ id: message, inbox }) > 2 * keptIds) stored.splice(0, keptIds);
    },
    failed() {
      failed++;
    },
    end(reason) {
      if (ended !== undefined) return;
      ended = clock.now();
      ending = reason;
    },
    read: () => ({
      id,
      client,
      started,
      ended,
      ending,
      secure,
      stored: stored.map((each) => each.id),
      inboxes: Object.fromEntries(
        stored.flatMap((each) => (each.inbox === undefined ? [] : [[each.id, each.inbox]])),
      ),
      failed,
      lines: [...head, ...tail],
      leftOut,
    }),
  };
}

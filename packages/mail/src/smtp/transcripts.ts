import { randomUUID } from "node:crypto";
import type { Clock } from "@tablekeep/core";

/** The last sessions, also those that failed and left no message. */
export interface Transcripts {
  /** The sessions, newest first, those that go on included. */
  list(): readonly Transcript[];
  /** One session; undefined if there is none, or none any more. */
  get(id: string): Transcript | undefined;
  /** Begins to take down a session. The oldest one is forgotten if there are too many. */
  begin(client: string): TranscriptWriter;
}

/** Keeps the last `capacity` sessions. */
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

/** One line of a session: `>` the client said it, `<` the server did, `*` is a remark. */
export interface TranscriptLine {
  /** Milliseconds since the session began. */
  readonly at: number;
  readonly by: ">" | "<" | "*";
  readonly text: string;
}

/** What was said in an SMTP session, without passwords and without the messages themselves. */
export interface Transcript {
  readonly id: string;
  /** Address and port of the client. */
  readonly client: string;
  /** Milliseconds since 1970. */
  readonly started: number;
  /** Milliseconds since 1970; undefined while the session goes on. */
  readonly ended: number | undefined;
  /** Why the session ended, in a few words. */
  readonly ending: string | undefined;
  readonly secure: boolean;
  /** Ids of the messages that the session left in the store. */
  readonly stored: readonly string[];
  /** Messages that were begun and not stored. */
  readonly failed: number;
  readonly lines: readonly TranscriptLine[];
  /** Lines in the middle that were not kept. */
  readonly leftOut: number;
}

/** Takes down one session as it goes on. */
export interface TranscriptWriter {
  add(by: TranscriptLine["by"], text: string): void;
  secured(): void;
  stored(id: string): void;
  failed(): void;
  /** Only the first ending counts. */
  end(reason: string): void;
  /** The transcript as it is now. */
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

/** A transcript of bounded size: of a long session its beginning and its end. */
function transcriptWriter({ id, client, clock }: TranscriptStart): TranscriptWriter {
  const started = clock.now();
  const origin = clock.monotonic();
  const head: TranscriptLine[] = [];
  const tail: TranscriptLine[] = [];
  const ids: string[] = [];
  let leftOut = 0;
  let failed = 0;
  let secure = false;
  let ending: string | undefined;
  let ended: number | undefined;
  return {
    add(by, text) {
      const at = Math.round(clock.monotonic() - origin);
      const start = text.length > lineLength ? `${text.slice(0, lineLength)}…` : text;
      // People read it in terminals, too.
      const line = { at, by, text: start.replace(/\p{Cc}/gu, "?") };
      if (head.length < keptAtStart) head.push(line);
      else if (tail.push(line) > 2 * keptAtEnd) leftOut += tail.splice(0, keptAtEnd).length;
    },
    secured() {
      secure = true;
    },
    stored(message) {
      if (ids.push(message) > 2 * keptIds) ids.splice(0, keptIds);
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
      stored: [...ids],
      failed,
      lines: [...head, ...tail],
      leftOut,
    }),
  };
}

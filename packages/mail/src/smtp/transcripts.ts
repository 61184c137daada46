import { randomUUID } from "node:crypto";
import type { Clock } from "@tablekeep/core";
import { type Transcript, type TranscriptWriter, transcriptWriter } from "./transcript.ts";

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

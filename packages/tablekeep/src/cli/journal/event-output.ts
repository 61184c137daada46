import type { JournalEvent } from "@tablekeep/journal";
import type { CommandContext } from "../command-context.ts";
import { jsonValue, printable } from "./json-value.ts";

/** Prints events, one a line. */
export async function printEvents(
  events: AsyncIterable<JournalEvent>,
  { printNext }: CommandContext,
): Promise<void> {
  for await (const event of events)
    await printNext(
      () => eventText(event),
      () => eventJson(event),
    );
}

function eventJson(event: JournalEvent): object {
  const { persistenceId, sequenceNr, payload, serializerId, manifest, writerUuid, timestamp, tags } = event;
  return {
    persistenceId,
    sequenceNr,
    payload: jsonValue(payload),
    serializerId,
    manifest,
    writerUuid,
    timestamp,
    tags,
  };
}

function eventText({ sequenceNr, timestamp, payload, tags }: JournalEvent): string {
  const time = timestamp === 0 ? "-" : new Date(timestamp).toISOString();
  const tagged = tags.length === 0 ? "" : `  #${tags.join(" #")}`;
  return printable(
    `${String(sequenceNr).padStart(8)}  ${time.padEnd(24)}  ${JSON.stringify(jsonValue(payload))}${tagged}`,
  );
}

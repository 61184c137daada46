import type { JournalEvent } from "@tablekeep/journal";
import { eventJson } from "../../journal-json/event-json.ts";
import { jsonValue } from "../../journal-json/json-value.ts";
import type { CommandContext } from "../command-context.ts";
import { printable } from "../printable.ts";

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

function eventText({ sequenceNr, timestamp, payload, tags }: JournalEvent): string {
  const time = timestamp === 0 ? "-" : new Date(timestamp).toISOString();
  const tagged = tags.length === 0 ? "" : `  #${tags.join(" #")}`;
  return printable(
    `${String(sequenceNr).padStart(8)}  ${time.padEnd(24)}  ${JSON.stringify(jsonValue(payload))}${tagged}`,
  );
}

import { type Command, InvalidArgumentError } from "commander";
import { sliceRange } from "../../json/feed-json.ts";
import type { JournalFlags } from "../journal/journal-flags.ts";

/** The events of a feed that a command works on. */
export interface EventFilter extends JournalFlags {
  readonly from: string;
  readonly type?: string;
  readonly tag?: string;
  readonly slices?: ReturnType<typeof sliceRange>;
}

/** Adds the options that select events of a feed. */
export function addEventFilter(command: Command, from: string): Command {
  return command
    .option("--from <place>", "start, end, a position, or a time", from)
    .option("--type <name>", "entity type: what precedes the first | in the id")
    .option("--tag <tag>", "only events with this tag")
    .option("--slices <range>", "range of virtual slices, such as 0-255", parseSlices);
}

function parseSlices(text: string): ReturnType<typeof sliceRange> {
  const range = sliceRange(text);
  if (range !== undefined) return range;
  throw new InvalidArgumentError("expected a range within 0 and 1023, such as 0-255");
}

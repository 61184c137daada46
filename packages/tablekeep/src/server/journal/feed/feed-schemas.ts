import { count, listOf, objectOf, text } from "../../http/openapi.ts";
import { eventProperties } from "../event-routes.ts";

/** The schema of an event of a feed. */
export const feedSchema: object = objectOf({
  ...eventProperties,
  position: { ...text, description: "Where to continue after this event." },
  slice: count,
  offset: { ...count, description: "Its place in the slice, from 0." },
  late: { type: "boolean", description: "True if it may follow a later event of its id." },
  error: {
    ...objectOf({ code: text, message: text }),
    description:
      "Only if the event cannot be read: what is stored is corrupt, or its key is missing. The event then has only its position.",
  },
});

const milliseconds = { type: "integer", description: "Milliseconds since 1970." };

/** The schema of the state of a feed. */
export const statusSchema: object = objectOf({
  name: text,
  generation: count,
  state: {
    enum: ["sweeping", "live"],
    description: "sweeping: the journal is being compared with the feed. live: the feed follows the stream.",
  },
  streamArn: text,
  lease: objectOf({ owner: text, until: milliseconds }),
  lagMs: { ...count, description: "How far the feed is behind the journal; missing if that is not known." },
  events: count,
  pages: count,
  slices: listOf(
    objectOf({
      pages: count,
      events: count,
      error: {
        ...text,
        description: "Only if its last page is corrupt: then the events of pages before it count.",
      },
    }),
  ),
  unreadable: {
    ...objectOf({
      count,
      items: listOf(objectOf({ persistenceId: text, sequenceNr: count, code: text })),
    }),
    description:
      "Only if the last sweep could not read items of the journal: how many, and the first ten. Their events may be missing in the feed, until they have been repaired and the journal is swept again.",
  },
  sequencer: {
    ...objectOf({ running: { type: "boolean" }, failures: count, error: text }),
    description: "Only if this server runs the feed. error: the code of the last failure.",
  },
});

/** The schema of the result of a verification. */
export const verificationSchema: object = objectOf({
  ids: count,
  writes: count,
  pages: count,
  unreadable: { ...count, description: "How many items of the journal could not be read." },
  found: { ...count, description: "The number of findings; findings has the first 1,000." },
  findings: listOf(
    objectOf({
      kind: { enum: ["missing", "twice", "gap", "unreadable"] },
      slice: count,
      persistenceId: text,
      first: count,
      last: count,
      error: {
        ...objectOf({ code: text, message: text }),
        description: "Of an unreadable item: why it cannot be compared, and what helps.",
      },
    }),
  ),
});

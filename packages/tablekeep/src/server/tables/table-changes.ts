import type { Clock, DynamoPort, Item, Logger } from "@tablekeep/core";
import type { Engine } from "@tablekeep/engine";
import { openStreamSource } from "@tablekeep/feed";
import { wireItem } from "../../json/dynamodb-json.ts";
import { recordTime } from "../../stream/record-times.ts";

/** One change to an item, as JSON; or the number of changes that were dropped because they were not read in time. */
export type TableChange = { readonly json: string } | { readonly missed: number };

/** The number of characters of changes that are kept for a slow client. Later changes are dropped, and counted. */
const maxLength = 2 * 1024 * 1024;

/** Every change to a table by any writer from now on, as the engine commits them. Only changes that follow the first `next` count. */
export async function* committedChanges(
  engine: Pick<Engine, "watch">,
  table: string,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): AsyncGenerator<TableChange, void, undefined> {
  const waiting: string[] = [];
  let length = 0;
  let missed = 0;
  let wake = () => {};
  const stop = engine.watch(table, (changes) => {
    for (const { before, after } of changes) {
      // Once a change is dropped, all are until the client has read the others, so that there is only one gap.
      if (missed > 0 || length > maxLength) missed++;
      else length += waiting[waiting.push(changeJson(clock.now(), before, after)) - 1]?.length ?? 0;
    }
    wake();
  });
  const onAbort = () => wake();
  signal.addEventListener("abort", onAbort);
  try {
    while (!signal.aborted) {
      const json = waiting.shift();
      if (json !== undefined) {
        length -= json.length;
        yield { json };
      } else if (missed > 0) {
        const left = missed;
        missed = 0;
        yield { missed: left };
      } else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  } finally {
    signal.removeEventListener("abort", onAbort);
    stop();
  }
}

/** The changes to a table from now on, from its stream. Throws before the first one if it has no stream with images. */
export async function streamedChanges(
  port: DynamoPort,
  tableName: string,
  { clock, logger, signal }: { readonly clock: Clock; readonly logger: Logger; readonly signal: AbortSignal },
): Promise<AsyncGenerator<TableChange, void, undefined>> {
  const source = await openStreamSource(port, { tableName, needs: "image", clock, logger });
  const since = recordTime(source.arn, clock.now());
  return (async function* () {
    for await (const { records } of source.read(new Map(), { signal }))
      for (const { createdAt, before, image } of records)
        if (createdAt >= since) yield { json: changeJson(createdAt, before, image) };
  })();
}

function changeJson(at: number, before: Item | undefined, after: Item | undefined): string {
  const shown = (item: Item | undefined) => (item === undefined ? null : wireItem(item));
  return JSON.stringify({ at, before: shown(before), after: shown(after) });
}

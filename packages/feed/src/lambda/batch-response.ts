import { optionCheck } from "@tablekeep/core";
import { optionInvalid } from "../feed-error.ts";
import type { ChangeBatch, ChangeSource } from "../stream/change-source.ts";
import type { DecodedEvent, EventChange } from "./decode-event.ts";

/** What a function returns to AWS Lambda. The event source mapping must have `ReportBatchItemFailures`. */
export interface BatchResponse {
  readonly batchItemFailures: readonly { readonly itemIdentifier: string }[];
}

/**
 * Returns the response for an event of which the first `processed` changes were processed: AWS Lambda sends the others again.
 * Throws `FEED_OPTION_INVALID` if the event has fewer.
 *
 * @example
 * return batchResponse(decodeEvent(event), 3);
 */
export function batchResponse({ changes }: DecodedEvent, processed: number): BatchResponse {
  // Any other number would acknowledge changes that were not processed.
  const reason = optionCheck.integer(0, changes.length)(processed);
  if (reason !== undefined) throw optionInvalid("processed", reason);
  const failed = changes[processed];
  // AWS Lambda resends everything from the lowest number on, so one is enough.
  return { batchItemFailures: failed === undefined ? [] : [{ itemIdentifier: failed.itemIdentifier }] };
}

/** Processes changes in order. */
export type ProcessChange = (change: EventChange) => Promise<void> | void;

/**
 * Processes the changes of an event one after the other, up to the first that fails. Returns the response to AWS Lambda, and the error of
 * the failed change.
 *
 * @example
 * const { response } = await processEvent(decodeEvent(event), async ({ record }) => save(record));
 */
export async function processEvent(
  event: DecodedEvent,
  process: ProcessChange,
): Promise<{ readonly response: BatchResponse; readonly processed: number; readonly error?: unknown }> {
  let processed = 0;
  try {
    for (const change of event.changes) {
      await process(change);
      processed++;
    }
    return { response: batchResponse(event, processed), processed };
  } catch (error) {
    return { response: batchResponse(event, processed), processed, error };
  }
}

/**
 * Returns the changes of an event as a source that yields one batch and ends. AWS Lambda keeps the checkpoints.
 *
 * @example
 * for await (const { records } of eventSource(decodeEvent(event)).read(new Map(), { signal })) save(records);
 */
export function eventSource(event: DecodedEvent): ChangeSource {
  return {
    arn: event.arn ?? "",
    async *read() {
      if (event.changes.length > 0) yield batchOf(event);
    },
  };
}

function batchOf({ changes }: DecodedEvent): ChangeBatch {
  const records = changes.map(({ record }) => record);
  const positions = new Map<string, ReturnType<ChangeBatch["positions"]["get"]> & object>();
  for (const { shard, sequence, createdAt } of records) {
    const seenUntil = Math.max(positions.get(shard)?.seenUntil ?? 0, createdAt);
    positions.set(shard, { sequence, seenUntil, closed: false, parents: [] });
  }
  return { records, positions };
}

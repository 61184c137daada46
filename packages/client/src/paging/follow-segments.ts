import type { DynamoPort, Key, ScanInput, ScanOutput } from "@tablekeep/core";
import { ignoreRejection } from "../ignore-rejection.ts";
import { startOperation } from "../operation-options.ts";
import { optionInvalid } from "../options/check-options.ts";
import { type PageOptions, pageCount, pageLimit } from "./page-options.ts";

/** Where one segment stands. */
interface Segment {
  readonly number: number;
  readonly start: Key | undefined;
}

interface SegmentPage {
  readonly segment: Segment;
  readonly page: ScanOutput;
  /** How much of the limit this request had been given. */
  readonly share: number;
}

/**
 * Scans all segments at once and gives their pages as they come. Under a limit, each request gets a share of what is
 * still wanted and gives back what it did not need: together they never read more than was asked for.
 */
export async function* followSegments(
  port: DynamoPort,
  input: ScanInput,
  segments: number,
  options: PageOptions,
): AsyncGenerator<ScanOutput, void, undefined> {
  if (input.ExclusiveStartKey !== undefined || input.Segment !== undefined)
    throw optionInvalid("segments", "cannot be used with ExclusiveStartKey or Segment in the input");
  const stopped = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, stopped.signal]) : stopped.signal;
  const idle: Segment[] = Array.from({ length: segments }, (_, number) => ({ number, start: undefined }));
  const running = new Map<number, Promise<SegmentPage>>();
  let free = options.limit ?? Number.POSITIVE_INFINITY;

  const read = async (segment: Segment, share: number): Promise<SegmentPage> => {
    const { deadline } = startOperation({ ...options, signal });
    const place = { Segment: segment.number, TotalSegments: segments, ExclusiveStartKey: segment.start };
    const Limit = pageLimit(input.Limit, share);
    const page = await port.scan({ ...input, ...place, Limit }, deadline.callOptions());
    return { segment, page, share };
  };
  try {
    for (;;) {
      for (let next = idle.shift(); next !== undefined; next = idle.shift()) {
        const share = Math.ceil(free / (idle.length + 1));
        if (share === 0) {
          idle.unshift(next);
          break;
        }
        if (free !== Number.POSITIVE_INFINITY) free -= share;
        running.set(next.number, ignoreRejection(read(next, share)));
      }
      if (running.size === 0) return;
      const { segment, page, share } = await Promise.race(running.values());
      running.delete(segment.number);
      free += share - pageCount(page);
      if (page.LastEvaluatedKey !== undefined)
        idle.push({ number: segment.number, start: page.LastEvaluatedKey });
      yield page;
    }
  } finally {
    stopped.abort();
    await Promise.allSettled(running.values());
  }
}

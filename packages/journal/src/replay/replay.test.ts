import { describe, expect, test } from "vitest";
import type { JournalEvent } from "../context/journal.ts";
import type { EventRow } from "../rows/event-row.ts";
import { EventStream } from "./replay.ts";

/** A stream of pages of numbers; `closed` says whether the pages were released. */
function streamOf(pages: readonly (readonly number[])[], failsAt?: number) {
  const state = { closed: false, pages: 0 };
  async function* source() {
    try {
      for (const page of pages) {
        state.pages++;
        await Promise.resolve();
        yield page.map((sequenceNr) => ({ sequenceNr }) as EventRow);
      }
    } finally {
      state.closed = true;
    }
  }
  const stream = new EventStream(source(), ({ sequenceNr }) => {
    if (sequenceNr === failsAt) throw new Error(`event ${sequenceNr} is damaged`);
    return { sequenceNr } as JournalEvent;
  });
  return { stream, state };
}

async function numbersOf(stream: AsyncIterable<JournalEvent>): Promise<number[]> {
  const numbers: number[] = [];
  for await (const { sequenceNr } of stream) numbers.push(sequenceNr);
  return numbers;
}

describe("a stream of events", () => {
  test("returns what the pages hold, empty ones among them", async () => {
    const { stream, state } = streamOf([[], [1, 2], [], [3], []]);
    expect(await numbersOf(stream)).toEqual([1, 2, 3]);
    expect(state.closed).toBe(true);
    expect(await stream.next()).toEqual({ done: true, value: undefined });
  });

  test("answers calls that overlap in order", async () => {
    const { stream } = streamOf([[1, 2], [3], [4, 5]]);
    const results = await Promise.all(Array.from({ length: 7 }, () => stream.next()));
    expect(results.map(({ value }) => value?.sequenceNr)).toEqual([1, 2, 3, 4, 5, undefined, undefined]);
  });

  test("lets the pages go when its reader leaves, and returns nothing after that", async () => {
    const { stream, state } = streamOf([[1, 2], [3]]);
    for await (const { sequenceNr } of stream) if (sequenceNr === 1) break;
    expect(state).toEqual({ closed: true, pages: 1 });
    expect(await stream.next()).toEqual({ done: true, value: undefined });
  });

  test("a return while a page is awaited comes after that page's first event", async () => {
    const { stream, state } = streamOf([[1, 2]]);
    const [next, end, after] = await Promise.all([stream.next(), stream.return(), stream.next()]);
    expect([next.value?.sequenceNr, end.done, after.done]).toEqual([1, true, true]);
    expect(state.closed).toBe(true);
  });

  test.each([1, 2])("ends with the failure of event %i", async (failsAt) => {
    const { stream, state } = streamOf([[1, 2], [3]], failsAt);
    await expect(numbersOf(stream)).rejects.toThrow(`event ${failsAt} is damaged`);
    expect(state.closed).toBe(true);
    expect(await stream.next()).toEqual({ done: true, value: undefined });
  });
});

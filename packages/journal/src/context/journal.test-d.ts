import { expectTypeOf, test } from "vitest";
import type { JournalWriter, NewEvent, Outcome, WrittenRange } from "../index.ts";

declare const writer: JournalWriter;
declare const event: NewEvent;
declare const events: readonly NewEvent[];

type Written = Outcome<WrittenRange>;

test("append returns one outcome, for one event and for several", () => {
  expectTypeOf(writer.append(event)).toEqualTypeOf<Promise<Written>>();
  expectTypeOf(writer.append([event, event])).toEqualTypeOf<Promise<Written>>();
  expectTypeOf(writer.append(events)).toEqualTypeOf<Promise<Written>>();
  // @ts-expect-error an atomic write within an array
  void writer.append([[event, event]]);
});

test("appendEach returns as many outcomes as there are writes", () => {
  expectTypeOf(writer.appendEach([event, [event, event]])).toEqualTypeOf<
    Promise<readonly [Written, Written]>
  >();
  expectTypeOf(writer.appendEach(events)).toEqualTypeOf<Promise<readonly Written[]>>();
  expectTypeOf(writer.appendEach([])).toEqualTypeOf<Promise<readonly []>>();
  // @ts-expect-error items of the caller go with an atomic append only
  void writer.appendEach([event], { alsoWrite: [] });
  // @ts-expect-error one event is not a list of writes
  void writer.appendEach(event);
});

import { wrapPort } from "@tablekeep/core";
import { describe, expect, test } from "vitest";
import { type EventsView, openJournal, openSnapshots, viewEvents, viewTail } from "../src/index.ts";
import { append, collect, engineWith, layouts, numbersOf, range, singles } from "./journal-world.ts";

const numbersIn = async (view: EventsView | undefined) => view && numbersOf(await collect(view.events));

describe.each(layouts)("a view of a %s journal", (layout) => {
  const options = { table: "events", layout } as const;

  test("has the position and the events from any number on, whatever is deleted", async () => {
    const port = await engineWith(options);
    const journal = await openJournal(port, options);
    for (const [count, deleted] of [
      [0, 0],
      [5, 0],
      [5, 2],
      [5, 5],
      [130, 0],
      [130, 101],
    ] as const) {
      const id = `id-${count}-${deleted}`;
      if (count > 0) await append(journal, id, [singles(1, Math.min(3, count)), ...singles(4, count)]);
      if (deleted > 0) await journal.deleteTo(id, deleted);
      for (const from of [undefined, 1, 3, 4, 5, 6, 7, 100, 101, 129, 130, 131, 200]) {
        const view = await viewEvents(journal, id, { from });
        const numbers = await numbersIn(view);
        const first = Math.max(from ?? 1, deleted + 1);
        expect([id, from, view?.highestSequenceNr, view?.lowestSequenceNr, numbers]).toEqual([
          id,
          from,
          count,
          deleted + 1,
          first > count ? [] : range(first, count),
        ]);
      }
    }
    await port.close();
  });

  test("writes nothing, also under strict fencing", async () => {
    const port = await engineWith(options);
    const strict = { ...options, fencing: "strict" } as const;
    await append(await openJournal(port, strict), "a", singles(1, 3));
    const sent = new Set<string>();
    const watched = wrapPort(port, (operation, input, call, next) => {
      sent.add(operation);
      return next(operation, input, call);
    });
    const journal = await openJournal(watched, strict);
    sent.clear();
    const view = await viewEvents(journal, "a");
    expect(await numbersIn(view)).toEqual([1, 2, 3]);
    expect([...sent].filter((operation) => !/^(?:Get|BatchGet|TransactGet|Query)/.test(operation))).toEqual(
      [],
    );
    await port.close();
  });

  test("is not possible of a journal that was wrapped", async () => {
    const port = await engineWith(options);
    const journal = await openJournal(port, options);
    expect(await viewEvents({ ...journal }, "a")).toBeUndefined();
    await port.close();
  });
});

test("a view of the newest snapshot and the events after it is one request", async () => {
  const options = { table: "events", layout: "packed" } as const;
  const port = await engineWith(options);
  const sent: string[] = [];
  const watched = wrapPort(port, (operation, input, call, next) => {
    sent.push(operation);
    return next(operation, input, call);
  });
  const journal = await openJournal(watched, options);
  const snapshots = await openSnapshots(watched, { journal: options });
  await append(journal, "a", singles(1, 5));
  await snapshots.save("a", 5, { total: 5 });
  await append(journal, "a", singles(6, 8));
  sent.length = 0;
  const view = await viewTail(journal, snapshots, "a");
  expect(view).toMatchObject({
    highestSequenceNr: 8,
    lowestSequenceNr: 1,
    snapshot: { sequenceNr: 5, state: { total: 5 } },
  });
  expect(await numbersIn(view)).toEqual([6, 7, 8]);
  expect(sent).toEqual(["Query"]);
  await port.close();
});

import { ensureTable } from "@tablekeep/client";
import { ensureStream, openFeed, openStreamSource } from "@tablekeep/feed";
import { feedHandler } from "@tablekeep/feed/lambda";
import {
  defineProjection,
  openProjections,
  projectionTableSpec,
  runProjections,
} from "@tablekeep/feed/projections";
import { journalOn } from "./journal-calls.ts";
import { engine, faulty, first, later, thingKey, things, type WaitingCall } from "./program.ts";

/** A journal with a feed, and a function that appends an event and brings it into the feed. */
async function feedOfJournal() {
  const port = await engine();
  const journal = await journalOn(port);
  const feed = await openFeed(port, { journal: { table: "events" } });
  const addEvent = async () => {
    await journal.append("a", { payload: 1 });
    await feed.catchUp();
  };
  return { port, feed, addEvent };
}

/** An event of AWS Lambda with one change to the journal's table. */
const lambdaEvent = {
  Records: [
    {
      eventName: "INSERT",
      eventSource: "aws:dynamodb",
      eventSourceARN: "arn:aws:dynamodb:us-east-1:000000000000:table/events/stream/2026-01-01T00:00:00.000",
      dynamodb: {
        ApproximateCreationDateTime: 1_767_225_600,
        Keys: { par: { S: "journal-P-a" }, num: { N: "1" } },
        SequenceNumber: "1",
        StreamViewType: "KEYS_ONLY",
      },
    },
  ],
};

export const feedCalls: Record<string, WaitingCall> = {
  "ensureStream on a table that is being changed": {
    waitsIn: ["feed/src/stream/ensure-stream.ts"],
    run: async () => {
      const port = await engine({ tableChangeMs: 200 });
      await journalOn(port);
      return (await ensureStream(port, "events", "NEW_IMAGE")).enabled;
    },
    result: true,
  },
  "a stream whose next change comes later": {
    waitsIn: ["feed/src/stream/read-shards.ts"],
    run: async () => {
      const { port, addEvent } = await feedOfJournal();
      await ensureStream(port, "events", "NEW_IMAGE");
      const source = await openStreamSource(port, { tableName: "events" });
      later(300, addEvent);
      for await (const { records } of source.read(new Map(), { signal: new AbortController().signal }))
        if (records.length > 0) return records[0]?.kind;
      return undefined;
    },
    result: "insert",
  },
  "feed.catchUp that is retried": {
    waitsIn: ["feed/src/sequencer/run-sequencer.ts"],
    run: async () => {
      const { port, addEvent } = await feedOfJournal();
      await addEvent();
      const feed = await openFeed(faulty(port, "kind:throttle,op:DescribeTable,times:2"), {
        journal: { table: "events" },
      });
      await feed.catchUp();
      return (await first(feed.read()))?.sequenceNr;
    },
    result: 1,
  },
  "feed.read, live": {
    waitsIn: ["feed/src/signals.ts"],
    run: async () => {
      const { feed, addEvent } = await feedOfJournal();
      await feed.catchUp();
      later(300, addEvent);
      return (await first(feed.read({ live: true })))?.sequenceNr;
    },
    result: 1,
  },
  "feed.run until it is aborted": {
    waitsIn: ["feed/src/sequencer/feed-lease.ts"],
    run: async () => {
      const { feed } = await feedOfJournal();
      const stop = new AbortController();
      later(300, () => stop.abort());
      await feed.run({ signal: stop.signal });
      return stop.signal.aborted;
    },
    result: true,
  },
  "feed.run on an engine that reports its commits": {
    waitsIn: ["feed/src/stream/commit-source.ts"],
    run: async () => {
      const { feed, addEvent } = await feedOfJournal();
      const stop = new AbortController();
      for (const ms of [300, 1200]) later(ms, addEvent);
      later(2500, () => stop.abort());
      await feed.run({ signal: stop.signal });
      return stop.signal.aborted;
    },
    result: true,
  },
  "a projection that is retried, and a wait for it": {
    waitsIn: [
      "run-projections.ts",
      "run/handle-event.ts",
      "run/page-waiter.ts",
      "run/runner.ts",
      "run/slice-worker.ts",
    ].map((file) => `feed/src/projections/${file}`),
    run: async () => {
      const port = await engine();
      const journal = await journalOn(port);
      for (const spec of [projectionTableSpec(), things]) await ensureTable(port, spec);
      let calls = 0;
      const counts = defineProjection({
        name: "counts",
        handle: (_event, tx) => {
          if (calls++ === 0) throw new Error("the first time");
          tx.update("things", thingKey.Key, { add: { count: { N: "1" } } });
        },
      });
      const failing = faulty(port, "kind:throttle,op:TransactWriteItems,times:1");
      const running = await runProjections(failing, [counts]);
      later(300, () => journal.append("a", { payload: 1 }));
      await running.reached(counts, { persistenceId: "a", sequenceNr: 1 });
      await running.stop();
      return (await port.getItem(thingKey)).Item?.["count"];
    },
    result: { N: "1" },
  },
  "a projection that is rewound while others change it": {
    waitsIn: ["feed/src/projections/control/change-slices.ts"],
    run: async () => {
      const port = await engine();
      const journal = await journalOn(port);
      await ensureTable(port, projectionTableSpec());
      const counts = defineProjection({ name: "counts", handle: () => undefined });
      const running = await runProjections(port, [counts]);
      await journal.append("a", { payload: 1 });
      await running.reached(counts, { persistenceId: "a", sequenceNr: 1 });
      await running.stop();
      const projections = await openProjections(
        faulty(port, "kind:transaction-conflict,op:TransactWriteItems,times:2"),
      );
      await projections.rewind("counts", "start");
      const { slices } = await projections.status("counts");
      return slices.every(({ offset }) => offset === 0);
    },
    result: true,
  },
  "a function of AWS Lambda that keeps a feed up to date": {
    waitsIn: ["feed/src/lambda/feed-handler.ts"],
    run: async () => {
      const { feed } = await feedOfJournal();
      return feedHandler(feed)(lambdaEvent, { getRemainingTimeInMillis: () => 60_000 });
    },
    result: { batchItemFailures: [] },
  },
};

import assert from "node:assert/strict";
import type { ReplayOptions } from "../../context/journal.ts";
import { append, gives, type JournalCase, range, replayed, writeFive } from "./journal-case.ts";

const max = Number.MAX_SAFE_INTEGER;

/** A replay of the five events with these bounds. */
function replayCase(
  name: string,
  title: string,
  options: ReplayOptions,
  numbers: readonly number[],
): JournalCase {
  return {
    name: `a replay ${name}`,
    source: `Akka JournalSpec: ${title}`,
    run: async (world) => {
      const { id } = await writeFive(world);
      await gives(world.journal, id, options, numbers);
      assert.equal(await world.journal.highestSequenceNr(id), 5);
    },
  };
}

/** The cases of Akka's JournalSpec. */
export const tckCases: readonly JournalCase[] = [
  replayCase("gives all events", "replay all messages", { from: 1, to: max, max }, range(1, 5)),
  replayCase(
    "begins at its lower bound",
    "lower sequence number bound",
    { from: 3, to: max, max },
    range(3, 5),
  ),
  replayCase("ends at its upper bound", "upper sequence number bound", { from: 1, to: 3, max }, range(1, 3)),
  replayCase("gives no more than its count", "count limit", { from: 1, to: max, max: 3 }, range(1, 3)),
  replayCase("keeps to both bounds", "lower and upper bound", { from: 2, to: 3, max }, range(2, 3)),
  replayCase("keeps to bounds and count", "bounds and count limit", { from: 2, to: 5, max: 2 }, range(2, 3)),
  replayCase("of one number gives one event", "lower bound equals upper", { from: 2, to: 2, max }, [2]),
  replayCase("of a count of one gives one event", "count limit equals one", { from: 2, to: 4, max: 1 }, [2]),
  replayCase("of a count of none gives nothing", "count limit equals zero", { from: 2, to: 4, max: 0 }, []),
  replayCase("whose bounds cross gives nothing", "lower bound above upper", { from: 3, to: 2, max }, []),
  replayCase("up to nothing gives nothing", "highest without replay", { from: 0, to: 0, max: 1 }, []),
  {
    name: "an id without events replays as nothing, and its highest number is 0",
    source: "Akka JournalSpec: replay of an unknown persistenceId",
    run: async ({ journal, unique }) => {
      const id = unique();
      await gives(journal, id, { from: 0, to: max, max }, []);
      assert.equal(await journal.highestSequenceNr(id), 0);
      assert.equal(await journal.lowestSequenceNr(id), 1);
    },
  },
  {
    name: "an event comes back as it was written",
    source: "Akka JournalSpec: the fixture's assertions on every replayed message",
    run: async (world) => {
      const { id, writer } = await writeFive(world);
      for (const [at, event] of (await replayed(world.journal, id)).entries()) {
        const { persistenceId, sequenceNr, payload, manifest, writerUuid } = event;
        assert.deepEqual(
          { persistenceId, sequenceNr, payload, manifest, writerUuid },
          {
            persistenceId: id,
            sequenceNr: at + 1,
            payload: `a-${at + 1}`,
            manifest: "",
            writerUuid: writer.writerUuid,
          },
        );
      }
    },
  },
  {
    name: "deleted events are not replayed",
    source: "Akka JournalSpec: range deletion",
    run: async (world) => {
      const { id } = await writeFive(world);
      await world.journal.deleteTo(id, 3);
      await gives(world.journal, id, { from: 1, to: max, max }, [4, 5]);
    },
  },
  {
    name: "a deletion does not lower the highest number",
    source: "Akka JournalSpec: highest sequence number after deletion",
    run: async (world) => {
      const { id } = await writeFive(world);
      await gives(world.journal, id, { from: 0, to: max, max }, range(1, 5));
      await world.journal.deleteTo(id, 3);
      await gives(world.journal, id, { from: 0, to: max, max }, [4, 5]);
      assert.equal(await world.journal.highestSequenceNr(id), 5);
    },
  },
  {
    name: "the highest number stays when everything is deleted",
    source: "Akka JournalSpec: highest sequence number after cleanup",
    run: async (world) => {
      const { id } = await writeFive(world);
      await world.journal.deleteTo(id, max);
      await gives(world.journal, id, { from: 0, to: max, max }, []);
      assert.equal(await world.journal.highestSequenceNr(id), 5);
      const writer = await world.journal.recover(id);
      await append(writer, { payload: "a-6" });
      await gives(world.journal, id, {}, [6]);
    },
  },
  {
    name: "an event that cannot be serialized is rejected, and its neighbors are stored",
    source: "Akka JournalSpec: reject non-serializable events (optional)",
    needs: ["rejectsUnserializable"],
    run: async (world) => {
      const { id, writer } = await writeFive(world);
      const unserializable = { payload: () => "code" };
      const outcomes = await writer.appendEach([{ payload: "a-6" }, unserializable, { payload: "a-7" }]);
      assert.deepEqual(
        outcomes.map(({ kind }) => kind),
        ["ok", "rejected", "ok"],
      );
      await gives(world.journal, id, { from: 6 }, [6, 7]);
    },
  },
  {
    name: "a payload of a serializer of the user's own comes back",
    source: "Akka JournalSpec: serialize events (optional)",
    needs: ["foreignSerializers"],
    run: async (world) => {
      const { id, writer } = await writeFive(world);
      const payload = { serializerId: 987_654, manifest: "A", bytes: Uint8Array.of(1, 2, 255) };
      await append(writer, { payload });
      const [event] = await replayed(world.journal, id, { from: 6 });
      assert.deepEqual(
        [event?.serializerId, event?.serializerManifest, event?.payload],
        [987_654, "A", payload],
      );
      assert.ok((await world.journal.highestSequenceNr(id)) >= 6);
    },
  },
  {
    name: "metadata comes back with its event",
    source: "Akka JournalSpec: metadata (optional)",
    needs: ["metadata"],
    run: async (world) => {
      const { id, writer } = await writeFive(world);
      await append(writer, { payload: "a-6", metadata: "meta-data" });
      const [event] = await replayed(world.journal, id, { from: 6, to: 6, max: 1 });
      assert.deepEqual([event?.payload, event?.metadata], ["a-6", "meta-data"]);
    },
  },
  {
    name: "a replay from -1 gives the last event only",
    source: "Akka JournalSpec: only the last event (optional)",
    needs: ["onlyLast"],
    run: async (world) => {
      const { id } = await writeFive(world);
      await gives(world.journal, id, { from: -1 }, [5]);
    },
  },
];

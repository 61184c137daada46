import { afterEach, describe, expect, test } from "vitest";
import { listedIds } from "../../../test/akka-fixtures.ts";
import {
  append,
  collect,
  engineWith,
  engineWithFixture,
  fixtureOptions,
  itemsOf,
  numbersOf,
  range,
  singles,
} from "../../../test/journal-world.ts";
import { openJournal } from "../../open-journal.ts";
import { verifyJournal } from "../verify/verify-journal.ts";
import { openScatteredMessages } from "./open-scattered-messages.ts";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const port of open.splice(0)) await port.close();
});

const options = { table: "events", layout: "scattered", sequenceShards: 10 } as const;

async function world() {
  const port = await engineWith(options);
  open.push(port);
  const journal = await openJournal(port, options);
  const messages = await openScatteredMessages(port, options);
  await append(journal, "a", [...singles(1, 4), singles(5, 7), ...singles(8, 10)]);
  const replayed = async () => numbersOf(await collect(journal.replay("a")));
  const item = async (sequenceNr: number) =>
    (await port.getItem({ TableName: "events", Key: { key: { S: `journal-P-a-${sequenceNr}` } } })).Item;
  return { port, journal, messages, replayed, item };
}

async function fixture() {
  const port = await engineWithFixture("akka-0.3");
  open.push(port);
  const journal = await openJournal(port, fixtureOptions("akka-0.3"));
  const messages = await openScatteredMessages(port, fixtureOptions("akka-0.3"));
  const replayed = async (id: string) => numbersOf(await collect(journal.replay(id)));
  return { port, journal, messages, replayed };
}

describe("confirmations", () => {
  test("are kept separately for each message, each channel once", async () => {
    const { messages } = await world();
    expect(await messages.confirm("a", 3, "billing")).toBe(true);
    expect(await messages.confirm("a", 3, "billing")).toBe(true);
    expect(await messages.confirm("a", 3, "mail")).toBe(true);
    expect(await messages.confirm("a", 4, "mail")).toBe(true);
    const found = (await collect(messages.messages("a"))).map(({ sequenceNr, confirmations }) => [
      sequenceNr,
      [...confirmations].sort(),
    ]);
    expect(found.slice(2, 5)).toEqual([
      [3, ["billing", "mail"]],
      [4, ["mail"]],
      [5, []],
    ]);
  });

  test("of a message that is not there change nothing", async () => {
    const { port, messages } = await world();
    const before = await itemsOf(port, "events");
    expect(await messages.confirm("a", 11, "billing")).toBe(false);
    expect(await messages.confirm("b", 1, "billing")).toBe(false);
    expect(await itemsOf(port, "events")).toEqual(before);
    await expect(messages.confirm("a", 1, "")).rejects.toMatchObject({ code: "JOURNAL_OPTION_INVALID" });
  });

  test("of the original are read, and added to", async () => {
    const { messages } = await fixture();
    const listed = listedIds("akka-0.3")["conf"]?.events ?? [];
    const before = await collect(messages.messages("conf"));
    expect(before.map(({ confirmations }) => confirmations)).toEqual(
      listed.map(({ confirms }) => confirms ?? []),
    );
    expect(await messages.confirm("conf", 5, "ch-9")).toBe(true);
    const after = await collect(messages.messages("conf"));
    expect(after.map(({ confirmations }) => confirmations.length)).toEqual(
      before.map(({ sequenceNr, confirmations }) => confirmations.length + (sequenceNr === 5 ? 1 : 0)),
    );
  });
});

describe("soft deletion", () => {
  test("of one message leaves it out of replays, and in the table", async () => {
    const { messages, replayed, item, journal } = await world();
    expect(await messages.deleteMessage("a", 3)).toBe(true);
    expect(await messages.deleteMessage("a", 3)).toBe(false);
    expect(await messages.deleteMessage("a", 11)).toBe(false);
    expect(await item(11)).toBeUndefined();
    expect(await replayed()).toEqual([1, 2, ...range(4, 10)]);
    const three = (await collect(messages.messages("a"))).find(({ sequenceNr }) => sequenceNr === 3);
    expect(three).toMatchObject({ deleted: true, payload: { n: 3 } });
    expect(await journal.highestSequenceNr("a")).toBe(10);
  });

  test("up to a number does so with all of them, and can be done again", async () => {
    const { port, messages, replayed } = await world();
    await messages.deleteMessagesTo("a", 6);
    await messages.deleteMessagesTo("a", 6);
    expect(await replayed()).toEqual(range(7, 10));
    expect(numbersOf(await collect(messages.messages("a")))).toEqual(range(1, 10));
    await messages.deleteMessagesTo("a", Number.MAX_SAFE_INTEGER);
    expect(await replayed()).toEqual([]);
    expect(await collect(verifyJournal(port, options))).toEqual([]);
  });

  test("by the original is read, and its messages can be gone on with", async () => {
    const { messages, replayed } = await fixture();
    const listed = listedIds("akka-0.3")["p-5"];
    expect(await replayed("p-5")).toEqual(listed?.events?.map(({ seq }) => seq));
    await messages.deleteMessage("p-5", 20);
    expect(await replayed("p-5")).toEqual(range(13, 30).filter((each) => each !== 20));
  });
});

describe("soft deletion of single messages by the original", () => {
  /** As the plugin does it: the message is marked, then an item `SL` takes its number, in the shard of that number. */
  async function deletedByOriginal(...sequenceNrs: readonly number[]) {
    const opened = await world();
    for (const sequenceNr of sequenceNrs) {
      await opened.port.updateItem({
        TableName: "events",
        Key: { key: { S: `journal-P-a-${sequenceNr}` } },
        UpdateExpression: "SET deleted = :true",
        ExpressionAttributeValues: { ":true": { S: "true" } },
      });
      const key = { S: `journal-SL-a-${sequenceNr % options.sequenceShards}` };
      await opened.port.putItem({
        TableName: "events",
        Item: { key, sequenceNr: { N: String(sequenceNr) } },
      });
    }
    return opened;
  }

  test("hides no message before them", async () => {
    const { journal, messages, replayed, port } = await deletedByOriginal(3, 8);
    expect(await replayed()).toEqual([1, 2, 4, 5, 6, 7, 9, 10]);
    expect(await journal.lowestSequenceNr("a")).toBe(1);
    expect(await journal.highestSequenceNr("a")).toBe(10);
    expect(numbersOf(await collect(messages.messages("a")))).toEqual(range(1, 10));
    expect(await collect(verifyJournal(port, options))).toEqual([]);
  });

  test("does not prevent permanent deletion, below them and above", async () => {
    const { journal, replayed } = await deletedByOriginal(8, 10);
    for (const to of [5, 7, 8]) {
      await journal.deleteTo("a", to);
      expect(await replayed()).toEqual(range(to + 1, 9).filter((each) => each !== 8));
      expect(await journal.lowestSequenceNr("a")).toBe(to + 1);
    }
  });

  test("after a permanent deletion restores nothing", async () => {
    const { port, journal, replayed } = await deletedByOriginal();
    await journal.deleteTo("a", 4);
    // In the shard that the original would have given our low mark.
    await port.putItem({
      TableName: "events",
      Item: { key: { S: "journal-SL-a-5" }, sequenceNr: { N: "5" } },
    });
    expect(await replayed()).toEqual(range(5, 10));
  });

  test("leaves nothing behind when the id is purged", async () => {
    const { port, journal } = await deletedByOriginal(3, 8);
    await journal.purge("a");
    const left = (await itemsOf(port, "events")).map((item) => item["key"]?.S);
    expect(left).toEqual(["journal-M"]);
  });
});

describe("permanent deletion", () => {
  test("of one message takes its data, keeps its sequence number, and affects no other", async () => {
    const { port, messages, replayed, item, journal } = await world();
    expect(await messages.deleteMessage("a", 6, { permanent: true })).toBe(true);
    expect(await messages.deleteMessage("a", 10, { permanent: true })).toBe(true);
    expect(await messages.deleteMessage("a", 10, { permanent: true })).toBe(false);
    expect(await messages.deleteMessage("a", 11, { permanent: true })).toBe(false);
    expect(await replayed()).toEqual([1, 2, 3, 4, 5, 7, 8, 9]);
    const left = Buffer.from((await item(6))?.["payload"]?.B ?? []).toString("latin1");
    expect(left).not.toContain('"n"');
    expect(await item(6)).not.toHaveProperty("tags");
    expect(await journal.highestSequenceNr("a")).toBe(10);
    await append(journal, "a", singles(11, 11));
    expect((await replayed()).at(-1)).toBe(11);
    expect(await collect(verifyJournal(port, options))).toEqual([]);
  });

  test("after a soft one takes the data too", async () => {
    const { messages, item } = await world();
    await messages.deleteMessage("a", 2);
    expect(await messages.deleteMessage("a", 2, { permanent: true })).toBe(true);
    expect(Buffer.from((await item(2))?.["payload"]?.B ?? []).toString("latin1")).not.toContain('"n"');
  });

  test("up to a number is that of the journal", async () => {
    const { messages, replayed, journal } = await world();
    await messages.deleteMessagesTo("a", 6, { permanent: true });
    expect(await replayed()).toEqual(range(7, 10));
    expect(await journal.lowestSequenceNr("a")).toBe(7);
  });

  test("works on the original's messages", async () => {
    const { messages, replayed } = await fixture();
    expect(await messages.deleteMessage("p-1", 100, { permanent: true })).toBe(true);
    expect(await replayed("p-1")).toEqual(range(1, 250).filter((each) => each !== 100));
  });
});

test("messages of the original come with their senders, softly deleted ones too", async () => {
  const { messages } = await fixture();
  const listed = listedIds("akka-0.3")["p-5"]?.eventsReplayDeleted ?? [];
  const found = await collect(messages.messages("p-5"));
  expect(found.map(({ sequenceNr, deleted, sender }) => [sequenceNr, deleted, sender])).toEqual(
    listed.map(({ seq, deleted = false, sender = "" }) => [seq, deleted, sender]),
  );
  expect(found).toHaveLength(30);
});

test("other layouts are rejected", async () => {
  const { port } = await world();
  await expect(openScatteredMessages(port, { table: "events", layout: "linear" })).rejects.toMatchObject({
    code: "JOURNAL_OPTION_INVALID",
    details: { option: "layout" },
  });
});

import {
  DynamoError,
  type DynamoPort,
  isDynamoError,
  sleep,
  type TransactWriteItem,
  wrapPort,
} from "@tablekeep/core";
import { fakeClock, faultyPort } from "@tablekeep/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkCalm, engineFor, faultWorld, inFakeTime, staging } from "./fault-world.ts";

/** What the items of a commit are: the writer item is updated, the commit record contains the last sequence number. */
const isRecord = ({ Put }: TransactWriteItem) => Put?.Item?.["last"] !== undefined;
const isWriterItem = ({ Update }: TransactWriteItem) => Update?.UpdateExpression?.includes("stage") === true;

/** The same actions, so that the writer item becomes visible first and the commit record last: DynamoDB promises no order. */
function recordLast(actions: readonly TransactWriteItem[]): TransactWriteItem[] {
  const rank = (action: TransactWriteItem) => (isWriterItem(action) ? 0 : isRecord(action) ? 2 : 1);
  return actions.toSorted((one, other) => rank(one) - rank(other));
}

/** A promise and what keeps it. */
function signal(): { readonly given: Promise<void>; give(): void } {
  let give = () => {};
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give: () => give() };
}

/** The port, where plain reads do not show commit records, as long as the items of their commits become visible. */
function withoutRecords(port: DynamoPort): DynamoPort {
  return wrapPort(port, async (operation, input, call, next) => {
    const output = await next(operation, input, call);
    const { Item } = output as { readonly Item?: Readonly<Record<string, unknown>> };
    return operation === "GetItem" && Item?.["last"] !== undefined ? ({} as typeof output) : output;
  });
}

/** The port, where all items of a commit but the writer item are held still when a second copy of it comes. */
function withHeldItems(port: DynamoPort): DynamoPort {
  return wrapPort(port, async (operation, input, call, next) => {
    const { TransactItems = [] } = input as { readonly TransactItems?: readonly TransactWriteItem[] };
    try {
      return await next(operation, input, call);
    } catch (error) {
      if (!isDynamoError(error, "TransactionCanceledException") || !TransactItems.some(isRecord)) throw error;
      const cancellationReasons = error.details.cancellationReasons?.map((reason, at) =>
        isWriterItem(TransactItems[at] ?? {}) ? reason : { Code: "TransactionConflict" },
      );
      throw new DynamoError({ ...error.details, cancellationReasons });
    }
  });
}

describe.each(staging)("%s: while a staged batch is committed", (_name, options) => {
  test("a writer that takes over the id removes nothing of it", async () => {
    const clock = fakeClock();
    const { port } = await engineFor(options, { clock, behavior: { transactionMs: 1000 } });
    const world = faultWorld(port, options, clock);
    const [staged, viewed, committing] = [signal(), signal(), signal()];
    const committer = wrapPort(port, async (operation, input, call, next) => {
      const { TransactItems = [] } = input as { readonly TransactItems?: readonly TransactWriteItem[] };
      if (!TransactItems.some(isRecord)) return next(operation, input, call);
      staged.give();
      await viewed.given;
      const sent = next(operation, { ...input, TransactItems: recordLast(TransactItems) }, call);
      await sleep(clock, 20);
      committing.give();
      return sent;
    });
    // It has read the stage, and is about to clear it.
    const successor = wrapPort(port, async (operation, input, call, next) => {
      if (operation === "UpdateItem") {
        viewed.give();
        await committing.given;
      }
      return next(operation, input, call);
    });
    await inFakeTime(clock, 5, async () => {
      const writer = await (await world.actor("writer", committer)).recover(world.id);
      await writer.append(world.texts(1));
      const appending = writer.append(world.texts(130));
      await staged.given;
      await (await world.actor("successor", successor)).recover(world.id);
      expect(await appending).toMatchObject({ kind: "ok", first: 2, last: 131 });
      await checkCalm(world, [1]);
    });
    await port.close();
  });
});

describe.each(staging)("%s: where a commit record is not visible yet", (_name, options) => {
  let port: Awaited<ReturnType<typeof engineFor>>["port"];
  beforeAll(async () => {
    ({ port } = await engineFor(options));
  });
  afterAll(() => port.close());

  test.each([1, 2, 130])("a write of %d overwrites no row of its batch", async (size) => {
    const world = faultWorld(port, options);
    const late = await (await world.actor("late", withoutRecords(port))).recover(world.id);
    const writer = await (await world.actor("writer", port)).recover(world.id);
    expect(await writer.append(world.texts(130))).toMatchObject({ kind: "ok" });
    expect(await late.append(world.texts(size))).toMatchObject({ kind: "conflict" });
    await checkCalm(world, [1]);
  });

  test("does not report a conflict to its own writer", async () => {
    const world = faultWorld(port, options);
    const lossy = faultyPort(port, "seed=1 faults=[{kind:lost-after-apply,op:TransactWriteItems,times:1}]");
    const writer = await (await world.actor("writer", withoutRecords(withHeldItems(lossy)))).recover(
      world.id,
    );
    expect(await writer.append(world.texts(130))).toMatchObject({ kind: "ok" });
    await checkCalm(world, [1]);
  });
});

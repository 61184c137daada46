import { CommandHandler, EmmettError, isExpectedVersionConflictError } from "@event-driven-io/emmett";
import { dispatchTo, isTablekeepError, wrapPort } from "@tablekeep/core";
import { openJournal } from "@tablekeep/journal";
import { fakeClock, faultyPort } from "@tablekeep/testkit";
import { describe, expect, test, vi } from "vitest";
import { getTablekeepEventStore, isEmmettStoreError } from "../src/index.ts";
import { added, type Cart, type CartEvent, evolve, initialState } from "./cart.ts";
import { engineStore } from "./engine-store.ts";

const stream = "cart-1";
const options = { layout: "packed" } as const;
const failureOf = async (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

describe("an append whose outcome is unknown", () => {
  /** A store whose puts get no answer, and that cannot read back whether they were applied. */
  async function unknownAppend(kind: "before" | "after") {
    const { port, store } = await engineStore(options);
    await store.appendToStream(stream, [added()]);
    const clock = fakeClock();
    let isPut = false;
    const lost = faultyPort(port, `seed=1 faults=[{op:PutItem,kind:lost-${kind}-apply}]`);
    const deaf = faultyPort(port, "seed=1 faults=[{kind:unreachable}]");
    const failingPort = wrapPort(port, (operation, input, call) => {
      if (operation === "PutItem") isPut = true;
      return dispatchTo(operation === "PutItem" ? lost : isPut ? deaf : port)(operation, input, call);
    });
    const journal = await openJournal(failingPort, { ...options, clock });
    const onAfterCommit = vi.fn();
    const failing = getTablekeepEventStore(journal, { hooks: { onAfterCommit } });
    return { clock, store, failing, onAfterCommit };
  }

  test.each(["before", "after"] as const)(
    "is an ambiguous error with message ids, lost %s it was applied",
    async (kind) => {
      const { clock, store, failing, onAfterCommit } = await unknownAppend(kind);
      const error = await clock.autoAdvance(() =>
        failureOf(failing.appendToStream(stream, [added(), added()])),
      );
      expect(error).toMatchObject({
        code: "EMMETT_OUTCOME_UNKNOWN",
        ambiguous: true,
        name: "EmmettStoreError",
      });
      if (!isEmmettStoreError(error, "EMMETT_OUTCOME_UNKNOWN")) throw error;
      expect(error.details).toEqual({
        streamName: stream,
        messageIds: [expect.any(String), expect.any(String)],
      });
      expect(isTablekeepError(error.cause, "JOURNAL_OUTCOME_UNKNOWN")).toBe(true);
      // Not a conflict for emmett, which would try it again, but an error of its kind.
      expect(isExpectedVersionConflictError(error)).toBe(false);
      expect(EmmettError.isInstanceOf(error, EmmettError.Codes.InternalServerError)).toBe(true);
      expect(onAfterCommit).not.toHaveBeenCalled();
      const { events } = await store.readStream(stream);
      const stored = events
        .map(({ metadata }) => metadata.messageId)
        .filter((id) => error.details.messageIds.includes(id));
      expect(stored).toEqual(kind === "after" ? error.details.messageIds : []);
    },
  );

  test("is not repeated by a command handler that retries conflicts", async () => {
    const { clock, failing } = await unknownAppend("after");
    let tried = 0;
    const handle = CommandHandler<Cart, CartEvent>({
      evolve,
      initialState,
      retry: { onVersionConflict: true },
    });
    const command = () => {
      tried++;
      return added();
    };
    const error = await clock.autoAdvance(() => failureOf(handle(failing, stream, command)));
    expect(error).toMatchObject({ code: "EMMETT_OUTCOME_UNKNOWN" });
    expect(tried).toBe(1);
  });
});

test("a lost answer is found out, and is neither a conflict nor a second append", async () => {
  const { port, store } = await engineStore(options);
  const faulty = faultyPort(port, "seed=1 faults=[{nth:1,op:PutItem,kind:lost-after-apply}]");
  const failing = getTablekeepEventStore(await openJournal(faulty, options));
  await store.appendToStream(stream, [added()]);
  expect(await failing.appendToStream(stream, [added()], { expectedStreamVersion: 1n })).toEqual({
    nextExpectedStreamVersion: 2n,
    createdNewStream: false,
  });
  expect((await store.readStream(stream)).events).toHaveLength(2);
});

test("an append that the journal rejects throws the journal's error", async () => {
  const { store } = await engineStore();
  const unstorable = { type: "Unstorable", data: { at: new Date(0) } };
  await expect(store.appendToStream(stream, [unstorable])).rejects.toMatchObject({
    code: "JOURNAL_PAYLOAD_REFUSED",
    ambiguous: false,
  });
  expect(await store.streamExists(stream)).toBe(false);
});

test("a hook that fails does not fail the append", async () => {
  const { journal } = await engineStore();
  const logged = vi.spyOn(console, "error").mockImplementation(() => undefined);
  const hooks = {
    onAfterCommit: () => {
      throw new Error("no");
    },
  };
  const result = await getTablekeepEventStore(journal, { hooks }).appendToStream(stream, [added()]);
  expect(result).toEqual({ nextExpectedStreamVersion: 1n, createdNewStream: true });
  expect(logged).toHaveBeenCalledOnce();
  logged.mockRestore();
});

import { randomUUID } from "node:crypto";
import {
  Command,
  ConnectedEventStore,
  type EventStorageAdapter,
  EventStore,
  EventType,
  NotificationMessageQueue,
} from "@castore/core";
import { describe, expect, test } from "vitest";

const opened = new EventType<"OPENED", { owner: string }>({ type: "OPENED" });
const deposited = new EventType<"DEPOSITED", { cents: number }, { by: string }>({ type: "DEPOSITED" });

interface Account {
  readonly aggregateId: string;
  readonly version: number;
  readonly owner: string;
  readonly cents: number;
}

function accountsOn(eventStorageAdapter: EventStorageAdapter) {
  return new EventStore({
    eventStoreId: `accounts-${randomUUID()}`,
    eventTypes: [opened, deposited],
    eventStorageAdapter,
    reducer: (account: Account, event): Account => {
      const { aggregateId, version } = event;
      if (event.type === "OPENED") return { aggregateId, version, owner: event.payload.owner, cents: 0 };
      return { ...account, version, cents: account.cents + event.payload.cents };
    },
  });
}

type Accounts = ReturnType<typeof accountsOn>;

const open = (aggregateId: string) =>
  ({ aggregateId, version: 1, type: "OPENED", payload: { owner: "ann" } }) as const;
const deposit = (aggregateId: string, version: number, cents: number) =>
  ({ aggregateId, version, type: "DEPOSITED", payload: { cents }, metadata: { by: "ann" } }) as const;

/** castore's own event stores and commands, on an adapter. */
export function eventStoreCases(openAdapter: () => Promise<EventStorageAdapter>): void {
  describe("castore's event store", () => {
    test("builds aggregates", async () => {
      const accounts = accountsOn(await openAdapter());
      const id = randomUUID();
      expect((await accounts.getAggregate(id)).aggregate).toBeUndefined();
      await expect(accounts.getExistingAggregate(id)).rejects.toThrow();
      const { nextAggregate } = await accounts.pushEvent(open(id));
      await accounts.pushEvent(deposit(id, 2, 100), { prevAggregate: nextAggregate });
      const { aggregate, lastEvent, events } = await accounts.getExistingAggregate(id);
      expect(aggregate).toEqual({ aggregateId: id, version: 2, owner: "ann", cents: 100 });
      expect(events).toHaveLength(2);
      expect(lastEvent).toMatchObject(deposit(id, 2, 100));
      expect((await accounts.getAggregate(id, { maxVersion: 1 })).aggregate).toMatchObject({ cents: 0 });
      const { aggregateIds } = await accounts.listAggregateIds();
      expect(aggregateIds.map(({ aggregateId }) => aggregateId)).toEqual([id]);
    });

    test("pushes a group of events of one aggregate", async () => {
      const accounts = accountsOn(await openAdapter());
      const id = randomUUID();
      await EventStore.pushEventGroup(accounts.groupEvent(open(id)), accounts.groupEvent(deposit(id, 2, 5)));
      expect((await accounts.getAggregate(id)).aggregate).toMatchObject({ version: 2, cents: 5 });
    });

    test("publishes what it pushed, if it is connected", async () => {
      const accounts = accountsOn(await openAdapter());
      const published: unknown[] = [];
      const queue = new NotificationMessageQueue({
        messageQueueId: "queue",
        sourceEventStores: [accounts],
        messageQueueAdapter: {
          publishMessage: async (message) => void published.push(message),
          publishMessages: async (messages) => void published.push(...messages),
        },
      });
      const connected = new ConnectedEventStore(accounts, queue);
      const id = randomUUID();
      const { event } = await connected.pushEvent(open(id));
      expect(published).toEqual([{ eventStoreId: accounts.eventStoreId, event }]);
      await expect(connected.pushEvent(open(id))).rejects.toMatchObject({ code: "EventAlreadyExistsError" });
      expect(published).toHaveLength(1);
    });
  });

  describe("castore's commands", () => {
    /** Deposits, after another deposit came between as often as `interruptions` says. */
    function depositCommand(accounts: Accounts, interruptions: number) {
      let left = interruptions;
      let conflicts = 0;
      const command = new Command({
        commandId: "DEPOSIT",
        requiredEventStores: [accounts],
        eventAlreadyExistsRetries: 2,
        onEventAlreadyExists: async () => {
          conflicts++;
        },
        handler: async ({ id, cents }: { id: string; cents: number }, [store]: [Accounts]) => {
          const { aggregate } = await store.getExistingAggregate(id);
          if (left-- > 0) await store.pushEvent(deposit(id, aggregate.version + 1, 1));
          await store.pushEvent(deposit(id, aggregate.version + 1, cents));
        },
      });
      return {
        run: (id: string) => command.handler({ id, cents: 100 }, [accounts]),
        conflicts: () => conflicts,
      };
    }

    test("are tried again if the version exists", async () => {
      const accounts = accountsOn(await openAdapter());
      const id = randomUUID();
      await accounts.pushEvent(open(id));
      const { run, conflicts } = depositCommand(accounts, 2);
      await run(id);
      expect(conflicts()).toBe(2);
      expect((await accounts.getAggregate(id)).aggregate).toMatchObject({ version: 4, cents: 102 });
    });

    test("fail after the last try", async () => {
      const accounts = accountsOn(await openAdapter());
      const id = randomUUID();
      await accounts.pushEvent(open(id));
      await expect(depositCommand(accounts, 5).run(id)).rejects.toMatchObject({
        code: "EventAlreadyExistsError",
      });
    });
  });
}

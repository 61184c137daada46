import type { TransactWriteItem } from "@tablekeep/core";
import { defineEntity, refuse } from "../src/index.ts";

export type CounterCommand =
  | { readonly type: "add"; readonly amount: number; readonly tag?: string; readonly claim?: string }
  | { readonly type: "addAll"; readonly amounts: readonly number[]; readonly atomic?: boolean }
  | { readonly type: "get" }
  | { readonly type: "throw" }
  | { readonly type: "emit"; readonly payload: unknown }
  | { readonly type: "unknown" };

export type CounterEvent = {
  readonly type: "added";
  readonly amount: number;
  readonly eventId: string;
  readonly tag?: string;
  readonly claim?: string;
  readonly payload?: unknown;
};

export interface Counter {
  readonly total: number;
  readonly events: number;
}

export const claimsTable = "claims";

/** Claims a name for an event, once. */
function claimOf(name: string, eventId: string): TransactWriteItem {
  return {
    Put: {
      TableName: claimsTable,
      Item: { claim: { S: name }, eventId: { S: eventId } },
      ConditionExpression: "attribute_not_exists(claim)",
    },
  };
}

/** Adds numbers. Refuses negative ones, and has commands for every kind of misuse. */
export const counter = defineEntity({
  type: "counter",
  initial: (): Counter => ({ total: 0, events: 0 }),
  decide(command: CounterCommand, { total, events }, { newId }) {
    switch (command.type) {
      case "add": {
        if (command.amount < 0) return refuse("negative", { amount: command.amount });
        const { amount, tag, claim } = command;
        const eventId = newId();
        const marks = { ...(tag !== undefined && { tag }), ...(claim !== undefined && { claim }) };
        return {
          events: { type: "added", amount, eventId, ...marks },
          reply: { total: total + amount, eventId, sequenceNr: events + 1 },
          alsoWrite: claim === undefined ? [] : [claimOf(claim, eventId)],
        };
      }
      case "addAll":
        return {
          events: command.amounts.map((amount) => ({ type: "added", amount, eventId: newId() })),
          atomic: command.atomic ?? true,
          reply: { total: total + command.amounts.reduce((sum, each) => sum + each, 0) },
        };
      case "get":
        return { reply: { total, events } };
      case "throw":
        throw new Error("decide is broken");
      case "emit":
        return { events: { type: "added", amount: 0, eventId: newId(), payload: command.payload } };
      default:
        return undefined;
    }
  },
  evolve: ({ total, events }: Counter, event: CounterEvent) => ({
    total: total + event.amount,
    events: events + 1,
  }),
});

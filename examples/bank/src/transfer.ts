/** A transfer between two accounts: a saga. It sends one message at a time, and its state says which answer it waits for. */
import { defineEntity, refuse } from "@tablekeep/entity";
import { z } from "zod";
import { send } from "./outbox.ts";

const account = z.string().min(1).max(100);
const cents = z.int().min(1).max(1_000_000_000_000);

const commands = z.discriminatedUnion("type", [
  z.object({ type: z.literal("begin"), from: account, to: account, cents }),
  z.object({ type: z.literal("withdrawn") }),
  z.object({ type: z.literal("withdrawal-declined") }),
  z.object({ type: z.literal("deposited") }),
  z.object({ type: z.literal("deposit-declined") }),
  z.object({ type: z.literal("refunded") }),
]);

const events = z.discriminatedUnion("type", [
  z.object({ type: z.literal("begun"), from: account, to: account, cents }),
  z.object({ type: z.literal("moved-on"), status: z.enum(["depositing", "refunding"]) }),
  z.object({ type: z.literal("ended"), status: z.enum(["done", "declined", "refunded"]) }),
]);

export type TransferCommand = z.infer<typeof commands>;

export interface Transfer {
  readonly status: "new" | "withdrawing" | "depositing" | "refunding" | "done" | "declined" | "refunded";
  readonly from: string;
  readonly to: string;
  readonly cents: number;
}

export const transfer = defineEntity({
  type: "transfer",
  commands,
  events,
  initial: (): Transfer => ({ status: "new", from: "", to: "", cents: 0 }),
  decide(command, state, { id }) {
    const { status, from, to, cents: amount } = state;
    const ask = (type: "withdraw" | "deposit" | "refund", target: string, sum: number) => [
      send({ id: `${id}/${type}`, to: "account", target, command: { type, transfer: id, cents: sum } }),
    ];
    switch (`${status} ${command.type}`) {
      case "new begin": {
        if (command.type !== "begin") return undefined;
        if (command.from === command.to) return refuse("same-account");
        const { from: source, to: target, cents: sum } = command;
        return {
          events: { type: "begun", from: source, to: target, cents: sum },
          alsoWrite: ask("withdraw", source, sum),
        };
      }
      case "withdrawing withdrawn":
        return { events: { type: "moved-on", status: "depositing" }, alsoWrite: ask("deposit", to, amount) };
      case "withdrawing withdrawal-declined":
        return { events: { type: "ended", status: "declined" } };
      case "depositing deposited":
        return { events: { type: "ended", status: "done" } };
      case "depositing deposit-declined":
        // The compensation: the money goes back.
        return { events: { type: "moved-on", status: "refunding" }, alsoWrite: ask("refund", from, amount) };
      case "refunding refunded":
        return { events: { type: "ended", status: "refunded" } };
      default:
        // A message that was delivered before, or a transfer that has begun: nothing is left to do.
        return isRepeated(command, state) ? {} : refuse("other-transfer");
    }
  },
  evolve(state: Transfer, event): Transfer {
    if (event.type === "begun") {
      const { from, to, cents: sum } = event;
      return { status: "withdrawing", from, to, cents: sum };
    }
    return { ...state, status: event.status };
  },
});

function isRepeated(command: TransferCommand, { status, from, to, cents: amount }: Transfer): boolean {
  if (command.type !== "begin") return status !== "new";
  return command.from === from && command.to === to && command.cents === amount;
}

/** An account. It answers each step of a transfer with a message to the transfer, even if it declines. */
import { defineEntity, refuse } from "@tablekeep/entity";
import { z } from "zod";
import { send } from "./outbox.ts";

const transfer = z.string().min(1).max(100);
const cents = z.int().min(1).max(1_000_000_000_000);

const step = { transfer, cents };
const commands = z.discriminatedUnion("type", [
  z.object({ type: z.literal("open"), cents: cents.or(z.literal(0)) }),
  z.object({ type: z.literal("close") }),
  z.object({ type: z.literal("withdraw"), ...step }),
  z.object({ type: z.literal("deposit"), ...step }),
  z.object({ type: z.literal("refund"), ...step }),
]);

const events = z.discriminatedUnion("type", [
  z.object({ type: z.literal("opened"), cents: cents.or(z.literal(0)) }),
  z.object({ type: z.literal("closed") }),
  z.object({ type: z.literal("withdrawn"), ...step }),
  z.object({ type: z.literal("withdrawal-declined"), ...step }),
  z.object({ type: z.literal("deposited"), ...step }),
  z.object({ type: z.literal("deposit-declined"), ...step }),
  z.object({ type: z.literal("refunded"), ...step }),
]);

export interface Account {
  readonly status: "new" | "open" | "closed";
  readonly cents: number;
}

export type AccountCommand = z.infer<typeof commands>;
export type AccountEvent = z.infer<typeof events>;
/** What an account answers to a step of a transfer. */
type Answer = Extract<AccountEvent, { transfer: string }>["type"];

export const account = defineEntity({
  type: "account",
  commands,
  events,
  initial: (): Account => ({ status: "new", cents: 0 }),
  decide(command, { status, cents: balance }, { id }) {
    switch (command.type) {
      case "open":
        if (status !== "new") return refuse("already-opened");
        return { events: { type: "opened", cents: command.cents } };
      case "close":
        if (status !== "open") return refuse("not-open");
        return balance === 0 ? { events: { type: "closed" } } : refuse("not-empty", { cents: balance });
      case "withdraw": {
        const isCovered = status === "open" && command.cents <= balance;
        return answer(id, isCovered ? "withdrawn" : "withdrawal-declined", command);
      }
      case "deposit":
        return answer(id, status === "open" ? "deposited" : "deposit-declined", command);
      case "refund":
        // Money that was withdrawn comes back, whatever has become of the account.
        return answer(id, "refunded", command);
    }
  },
  evolve(state: Account, event): Account {
    switch (event.type) {
      case "opened":
        return { status: "open", cents: event.cents };
      case "closed":
        return { ...state, status: "closed" };
      case "withdrawn":
        return { ...state, cents: state.cents - event.cents };
      case "deposited":
      case "refunded":
        return { ...state, cents: state.cents + event.cents };
      default:
        return state;
    }
  },
});

/**
 * Stores the answer to a step as an event, and sends it to the transfer in the same transaction. A refusal would not do: it is
 * not stored, and the same message may be delivered again when the account would accept it.
 */
function answer(
  id: string,
  type: Answer,
  { transfer: target, cents: amount }: z.infer<z.ZodObject<typeof step>>,
) {
  return {
    events: { type, transfer: target, cents: amount },
    alsoWrite: [send({ id: `${target}/${type}`, to: "transfer", target, command: { type } })],
    reply: { account: id, type },
  };
}

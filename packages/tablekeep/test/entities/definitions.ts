/** Definitions of entities, as an application has them. Tests bundle this file into the module that a server loads. */
import { defineEntity, upcastFrom } from "@tablekeep/entity";

interface Deposited {
  readonly type: "deposited";
  readonly cents: number;
}

/** Version 1 had whole coins. */
interface DepositedV1 {
  readonly type: "deposited";
  readonly coins: number;
}

export const account = defineEntity({
  type: "account",
  initial: (id) => ({ owner: id, cents: 0, deposits: 0 }),
  decide: (command: { type: "deposit"; cents: number }) => ({
    events: { type: "deposited" as const, cents: command.cents },
  }),
  evolve: (state: { owner: string; cents: number; deposits: number }, event: Deposited) => ({
    ...state,
    cents: state.cents + event.cents,
    deposits: state.deposits + 1,
  }),
  upcasters: {
    deposited: upcastFrom((old: DepositedV1): Deposited => ({ type: "deposited", cents: old.coins * 100 })),
  },
  stateVersion: 2,
  // Version 1 of the state counted nothing: -1 marks it.
  upcastState: (state, version) => ({ ...(state as { owner: string; cents: number }), deposits: -version }),
});

/** A persistence id of another form, and a state with what JSON does not have. */
const parcel = defineEntity({
  type: "parcel",
  persistenceId: (id) => `parcels/${id}`,
  initial: () => ({ weight: 0n, label: new Uint8Array() }),
  decide: (command: { type: "weigh"; grams: number }) => ({
    events: { type: "weighed" as const, grams: command.grams },
  }),
  evolve: (state: { weight: bigint; label: Uint8Array }, event: { type: "weighed"; grams: number }) => ({
    weight: state.weight + BigInt(event.grams),
    label: new Uint8Array([event.grams]),
  }),
});

/** Code with mistakes. */
const broken = defineEntity({
  type: "broken",
  initial: () => 0,
  decide: (command: { type: "do"; what: string }) => ({ events: { type: command.what } }),
  evolve(state: number, event: { type: string }) {
    if (event.type === "throw") throw new TypeError("no such fruit");
    if (event.type === "exit") process.exit(3);
    if (event.type === "print") process.stdout.write("evolved\n");
    if (event.type === "loop") for (;;);
    if (event.type === "large") return "x".repeat(6_000_000) as unknown as number;
    return state + 1;
  },
});

export const others = [parcel, broken];
export const notADefinition = { type: "nothing" };

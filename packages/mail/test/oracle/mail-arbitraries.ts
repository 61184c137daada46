import fc from "fast-check";
import type { Envelope, MailSearch } from "../../src/index.ts";
import { addresses, envelope, rawMessage, words } from "./message-arbitraries.ts";

export const search: fc.Arbitrary<MailSearch> = fc.record({
  kind: fc.constantFrom("from", "to", "containing", "text", "sender", "recipient"),
  query: fc.oneof(
    fc.constantFrom(...addresses, ...words),
    fc.constantFrom(
      "@",
      "oic",
      "an@",
      "EXAMPLE.ORG",
      "ice in",
      "mailhog",
      "übergr",
      "nothing of it",
      "ß",
      "ι",
    ),
  ),
});

const seconds = (count: number) => count * 1000;
const days = (count: number) => seconds(count * 86_400);

/** Times that matter: within a second, over an hour, and at the edges of the week that a message lives. */
const step = fc.oneof(
  fc.constantFrom(1, 999, seconds(1), seconds(600), seconds(3599), seconds(3600), seconds(4000)),
  fc.constantFrom(days(1), days(6), days(7) - 1, days(7), days(7) + 1, days(6.99)),
  fc.integer({ min: 0, max: days(2) }),
);

/** An operation on a store. `by` is the index of the instance that performs it. */
export type Action =
  | { readonly do: "store"; readonly envelope: Envelope; readonly raw: Buffer }
  | { readonly do: "pass"; readonly ms: number }
  | { readonly do: "delete one"; readonly at: number }
  | { readonly do: "delete some"; readonly every: number }
  | { readonly do: "delete found"; readonly search: MailSearch }
  | { readonly do: "delete all" }
  | { readonly do: "look"; readonly search: MailSearch; readonly start: number; readonly limit: number };

const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ do: fc.constant("store" as const), envelope, raw: rawMessage(false) }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("pass" as const), ms: step }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("delete one" as const), at: fc.nat(20) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("delete some" as const), every: fc.integer({ min: 1, max: 4 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("delete found" as const), search }) },
  { weight: 1, arbitrary: fc.constant({ do: "delete all" as const }) },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant("look" as const), search, start: fc.nat(6), limit: fc.nat(5) }),
  },
);

export const actions: fc.Arbitrary<readonly { readonly by: 0 | 1; readonly action: Action }[]> = fc.array(
  fc.record({ by: fc.constantFrom(0 as const, 1 as const), action }),
  { minLength: 10, maxLength: 30 },
);

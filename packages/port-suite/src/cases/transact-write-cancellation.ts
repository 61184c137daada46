import { l, n, s, upTo } from "../attribute-values.ts";
import { cases, type Row } from "../case-table.ts";
import type { PortCase } from "../port-case.ts";
import { type ActionName, action, cancelled } from "../transaction-actions.ts";

const failed = { Code: "ConditionalCheckFailed", Message: "The conditional request failed" };
const none = { Code: "None" };
const [absent, taken] = ["attribute_not_exists(pk)", "attribute_exists(pk)"];

const kinds: readonly (readonly [kind: ActionName, gap?: string])[] = [
  ["Put"],
  ["Update"],
  ["Delete"],
  ["ConditionCheck", "ends the message with a full stop"],
];

const item = { pk: s("$item"), a: l(n(1)) };
const one = { pk: s("$one"), a: s("1") };
const two = { pk: s("$two"), a: s("2") };

export const transactWriteCancellationCases: readonly PortCase[] = cases(
  { source: "AWS: API_TransactWriteItems, CancellationReasons", table: "simple" },
  [
    ...kinds.flatMap(([kind, gap]): Row[] => {
      const ok = (name: string) => action("Put", s(name), absent);
      const bad = (name: string) => action(kind, s(name), taken);
      return [
        {
          name: `TransactWriteItems returns None for what would have gone through and ConditionalCheckFailed for ${kind}, in order`,
          gap,
          steps: [
            cancelled([ok("$a"), bad("$b")], [none, failed]),
            cancelled([bad("$a"), ok("$b")], [failed, none]),
            cancelled([ok("$a"), bad("$b"), ok("$c"), bad("$d")], [none, failed, none, failed]),
          ],
          after: { simple: [] },
        },
        {
          name: `TransactWriteItems returns the item that failed the condition of ${kind} on request`,
          gap,
          given: { simple: [item] },
          steps: [
            cancelled([action(kind, item.pk, absent, "ALL_OLD")], [{ ...failed, Item: item }]),
            cancelled([action(kind, item.pk, absent)], [failed]),
          ],
          after: { simple: [item] },
        },
      ];
    }),
    {
      name: "TransactWriteItems returns no item for a failed condition on an absent item",
      ...cancelled([action("Put", s("$absent"), taken, "ALL_OLD")], [failed]),
    },
    {
      name: "TransactWriteItems returns the items of several failed conditions at their places",
      given: { simple: [one, two] },
      ...cancelled(
        [
          action("Delete", two.pk, absent, "ALL_OLD"),
          action("Put", s("$three"), absent, "ALL_OLD"),
          action("Update", one.pk, "a = pk", "ALL_OLD"),
        ],
        [{ ...failed, Item: two }, none, { ...failed, Item: one }],
      ),
    },
    {
      name: "TransactWriteItems returns as many reasons as it has actions, up to 100",
      ...cancelled(
        upTo(100).map((index) => action("Put", s(`$item${index}`), index === 57 ? taken : absent)),
        upTo(100).map((index) => (index === 57 ? failed : none)),
      ),
    },
  ],
);

import { describe, expect, test } from "vitest";
import { cancellationMeaning } from "./transact-evidence.ts";

const severity = {
  None: 0,
  TransactionConflict: 1,
  ThrottlingError: 1,
  ProvisionedThroughputExceeded: 1,
  ConditionalCheckFailed: 2,
  ItemCollectionSizeLimitExceeded: 3,
  ValidationError: 3,
} as const;
const codes = Object.keys(severity) as (keyof typeof severity)[];
const meanings = ["rejected", "retry", "conflict", "rejected"] as const;

describe("cancellationMeaning", () => {
  for (const one of codes) {
    for (const two of codes) {
      test(`${one} beside ${two} means what the more severe means, in any position`, () => {
        const expected = meanings[Math.max(severity[one], severity[two])];
        for (const order of [
          [one, two, "None"],
          ["None", one, two],
          [two, "None", one],
        ])
          expect(cancellationMeaning(order.map((Code) => ({ Code })))).toBe(expected);
      });
    }
  }

  test("no reason, and one that is not known, promise nothing from another attempt", () => {
    expect(cancellationMeaning([])).toBe("rejected");
    expect(cancellationMeaning([{}, {}])).toBe("rejected");
    expect(cancellationMeaning([{ Code: "TransactionConflict" }, { Code: "BrandNew" }])).toBe("rejected");
    expect(cancellationMeaning([{ Code: "toString" }])).toBe("rejected");
  });
});

import { DeciderSpecification, getInMemoryEventStore } from "@event-driven-io/emmett";
import type { LayoutName } from "@tablekeep/journal";
import { describe, test } from "vitest";
import { getTablekeepEventStore } from "../src/index.ts";
import { added, apples, decider } from "./cart.ts";
import { engineStore } from "./engine-store.ts";
import { eventStoreCases } from "./event-store-cases.ts";

describe("emmett's own in-memory store", () => {
  eventStoreCases(async (onAfterCommit) => getInMemoryEventStore({ hooks: { onAfterCommit } }));
});

const layouts: readonly LayoutName[] = ["packed", "bucketed", "linear", "scattered"];

describe.each(layouts)("the store on a journal, %s", (layout) => {
  eventStoreCases(async (onAfterCommit) => {
    const { journal } = await engineStore({ layout });
    return getTablekeepEventStore(journal, { hooks: { onAfterCommit } });
  });
});

describe("the store on a journal with strict fencing", () => {
  eventStoreCases(async (onAfterCommit) => {
    const { journal } = await engineStore({ layout: "packed", fencing: "strict" });
    return getTablekeepEventStore(journal, { hooks: { onAfterCommit } });
  });
});

test("the decider of these cases passes emmett's specification", () => {
  const given = DeciderSpecification.for(decider);
  given([])
    .when({ type: "AddLine", data: { line: apples } })
    .then([added()]);
  given([])
    .when({ type: "Discount", data: { percent: 10 } })
    .thenThrows();
});

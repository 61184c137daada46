import type { LayoutName } from "@tablekeep/journal";
import { describe } from "vitest";
import { adapterCases } from "./adapter-cases.ts";
import { engineAdapter } from "./engine-adapter.ts";
import { eventStoreCases } from "./event-store-cases.ts";

const layouts: readonly LayoutName[] = ["packed", "bucketed", "linear", "scattered"];

describe.each(layouts)("the adapter on a journal, %s", (layout) => {
  const open = async () => (await engineAdapter({ layout })).adapter;
  adapterCases(open);
  eventStoreCases(open);
});

describe("the adapter on a journal with strict fencing", () => {
  const open = async () => (await engineAdapter({ layout: "packed", fencing: "strict" })).adapter;
  adapterCases(open);
  eventStoreCases(open);
});

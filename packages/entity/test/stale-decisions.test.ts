import { describe, expect, test } from "vitest";
import { defineEntity, refuse } from "../src/index.ts";
import { engineForEntities, openWorld } from "./entity-world.ts";

/** Goes on from step to step. A step that is not the next one was delivered before, or is refused. */
const walk = defineEntity({
  type: "walk",
  initial: () => 0,
  decide(command: { type: "step"; to: number } | { type: "strict"; to: number }, at) {
    if (command.to === at + 1) return { events: { type: "stepped" }, reply: command.to };
    return command.type === "step" ? { reply: at } : refuse("not-next", { at });
  },
  evolve: (at: number, _event: { type: "stepped" }) => at + 1,
});

describe.each(["packed", "bucketed"] as const)("on a %s journal with two hosts", (layout) => {
  const twoHosts = async () => {
    const port = await engineForEntities({ layout });
    const options = { port, journalOptions: { layout } };
    const [one, two] = [await openWorld([walk], options), await openWorld([walk], options)];
    return [one.host.of(walk), two.host.of(walk)] as const;
  };

  test.each(["step", "strict"] as const)(
    "a command with an id (%s) is not ignored or refused because of a state that is out of date",
    async (type) => {
      const [one, two] = await twoHosts();
      // Each host has a state that the other changes.
      await two.ask("a", { type: "step", to: 1 }, { commandId: "1" });
      await one.ask("a", { type, to: 2 }, { commandId: "2" });
      expect(await two.ask("a", { type, to: 3 }, { commandId: "3" })).toBe(3);
      expect(await one.ask("a", { type, to: 4 }, { commandId: "4" })).toBe(4);
      expect(await two.ask("a", { type, to: 3 }, { commandId: "3" })).toBe(3);
      expect((await one.read("a")).state).toBe(4);
    },
  );

  test("a command without an id is answered from memory", async () => {
    const [one, two] = await twoHosts();
    await two.ask("a", { type: "step", to: 1 });
    await one.ask("a", { type: "step", to: 2 });
    expect(await two.ask("a", { type: "step", to: 9 })).toBe(1);
    expect(await one.ask("a", { type: "step", to: 9 })).toBe(2);
  });
});

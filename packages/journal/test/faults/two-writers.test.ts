import type { DynamoPort } from "@tablekeep/core";
import { exploreInterleavings, pauseAtEvery } from "@tablekeep/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isJournalError } from "../../src/index.ts";
import type { RecordedJournal } from "../../src/testing/index.ts";
import { alikeWorlds, checkCalm, engineFor, type FaultWorld, named } from "./fault-world.ts";
import { persist } from "./persist.ts";
import { scale, searchTimeoutMs } from "./scale.ts";

/** A replay under whose hands events are deleted begins again. */
async function replayUntrimmed(journal: RecordedJournal, id: string): Promise<void> {
  for (let attempt = 0; attempt < 5; attempt++) {
    try {
      await journal.replay(id);
      return;
    } catch (error) {
      if (!isJournalError(error, "JOURNAL_REPLAY_TRIMMED")) throw error;
    }
  }
}

describe.each(named)("%s: two writers on one id", (_name, options) => {
  let engine: Awaited<ReturnType<typeof engineFor>>;
  beforeAll(async () => {
    engine = await engineFor(options);
  });
  afterAll(() => engine.port.close());

  const setup = (before: readonly number[]) =>
    alikeWorlds(
      engine,
      options,
      before.length === 0
        ? undefined
        : async (world) => persist(await world.actor("before", world.port), world, before),
    );
  const writing =
    (name: string, ...sizes: readonly number[]) =>
    async (own: DynamoPort, world: FaultWorld) =>
      persist(await world.actor(name, own), world, sizes);
  const reading = async (own: DynamoPort, world: FaultWorld) => {
    const journal = await world.actor("r", own);
    await replayUntrimmed(journal, world.id);
    await journal.highest(world.id);
  };
  const deleting = (to: number) => async (own: DynamoPort, world: FaultWorld) =>
    (await world.actor("d", own)).deleteTo(world.id, to);
  const check = async (
    world: FaultWorld,
    results: Readonly<Record<string, PromiseSettledResult<unknown>>>,
  ) => {
    for (const [actor, result] of Object.entries(results)) {
      if (result.status === "rejected") throw new Error(`${actor} failed`, { cause: result.reason });
    }
    await checkCalm(world, [1, 2]);
  };

  const scenes: readonly (readonly [
    name: string,
    /** How often the turn may be taken from one who could continue: all such orders are run. */
    turns: number,
    before: readonly number[],
    actors: Parameters<typeof exploreInterleavings<FaultWorld>>[0]["actors"],
  ])[] = [
    ["single events from the first", 2, [], { a: writing("a", 1), b: writing("b", 1) }],
    ["single events across a multiple of 100", 2, [98], { a: writing("a", 1, 1), b: writing("b", 1, 1) }],
    ["atomic writes", 2, [98], { a: writing("a", 3), b: writing("b", 2) }],
    ["a staged batch against single events", 1, [1], { a: writing("a", 101), b: writing("b", 1, 1) }],
    ["two staged batches", 1, [1], { a: writing("a", 101), b: writing("b", 102) }],
    ["a delete, and a reader", 1, [4], { a: writing("a", 1, 2), d: deleting(4), r: reading }],
    ["a delete of a staged batch, and a reader", 1, [101], { d: deleting(101), r: reading }],
  ];

  test.each(scenes)(
    "%s: in some orders of requests, drawn at random, all is as it should be",
    async (_scene, _turns, before, actors) => {
      const scenario = { setup: setup(before), actors, check };
      await exploreInterleavings(scenario, { walks: 5 * scale, seed: `orders ${scale}` });
    },
    searchTimeoutMs,
  );

  // The protocol is the same in every layout: slow searches run in one of them, unless the run is a long one. Only buckets end at a multiple
  // of 100.
  const isSearched = (scene: string, turns: number) => turns >= 2 && !scene.includes("multiple of 100");
  const searched = scenes.filter(
    ([scene, turns]) => isSearched(scene, turns) || options.layout === "bucketed" || scale > 1,
  );

  test.each(searched)(
    "%s: in every order of requests all is as it should be",
    async (_scene, turns, before, actors) => {
      const scenario = { setup: setup(before), actors, check };
      const maxPreemptions = turns + (scale > 1 ? 1 : 0);
      const { complete } = await exploreInterleavings(scenario, { exhaustive: 100_000, maxPreemptions });
      expect(complete).toBe(true);
    },
    searchTimeoutMs,
  );

  const pauses: readonly (readonly [name: string, size: number])[] = [
    ["one event", 1],
    ["an atomic write", 3],
    ["a staged batch", 101],
  ];

  test.each(pauses)(
    "a writer that pauses anywhere in %s is superseded by another",
    async (_scene, size) => {
      await pauseAtEvery<FaultWorld>({
        setup: setup([98]),
        paused: async (own, world) => {
          const journal = await world.actor("paused", own);
          const writer = await journal.recover(world.id);
          return writer.append(world.texts(size));
        },
        meanwhile: writing("other", 1, 2),
        check: async (world, { paused, meanwhile }) => {
          if (meanwhile.status === "rejected") throw meanwhile.reason;
          if (paused.status === "rejected") throw paused.reason;
          await checkCalm(world);
        },
      });
    },
    searchTimeoutMs,
  );
});

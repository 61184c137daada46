import { fakeClock } from "@tablekeep/testkit";
import { describe, expect, test } from "vitest";
import { checkCalm, deletedIn, engineFor, faultWorld, itemsOf, named } from "./fault-world.ts";

const hour = 3600 * 1000;

describe.each(named)("%s: a writer that idles while another writes and deletes", (_name, options) => {
  const idle = async (hours: readonly number[], suspended = false) => {
    const clock = fakeClock();
    const { port } = await engineFor(options, { clock });
    const world = faultWorld(port, options, clock);
    const idler = await (await world.actor("idler", port)).recover(world.id);
    await idler.append(world.texts(1));
    const journal = await world.actor("other", port);
    const other = await journal.recover(world.id);
    for (const size of [1, 2, 101])
      expect(await other.append(world.texts(size))).toMatchObject({ kind: "ok" });
    await journal.deleteTo(world.id, other.highestSequenceNr);
    for (const each of hours) {
      // A machine that sleeps: its monotonic clock stands still, and the date continues.
      if (suspended) clock.jump(each * hour);
      else await clock.advance(each * hour);
      await journal.deleteTo(world.id, other.highestSequenceNr);
    }
    const outcomes = [await idler.append(world.texts(1)), await idler.append(world.texts(1))];
    expect(outcomes).toMatchObject([{ kind: "conflict" }, { kind: "rejected" }]);
    const rows = await itemsOf(port, world.id);
    await checkCalm(world);
    await port.close();
    return rows.reduce((total, item) => total + deletedIn(item), 0);
  };

  test.each([0, 1, 11.9, 12, 23.9])(
    "for %d hours gets a conflict, and the tombstones stay",
    async (hours) => {
      expect(await idle([hours])).toBe(105);
    },
  );

  test("for a day and more gets a conflict, although the tombstones are gone", async () => {
    expect(await idle([24.1])).toBe(0);
    expect(await idle([12, 12.1, 100])).toBe(0);
  });

  test("on a machine that was suspended gets a conflict too", async () => {
    expect(await idle([24.1], true)).toBe(0);
  });
});

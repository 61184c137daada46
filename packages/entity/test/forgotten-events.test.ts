import { ensureTable } from "@tablekeep/client";
import { openJournal, openSnapshots } from "@tablekeep/journal";
import { encryptedCodecs, keyTableSpec, openKeyStore } from "@tablekeep/journal/encryption";
import { describe, expect, test } from "vitest";
import { defineEntity, openEntities } from "../src/index.ts";
import { engineForEntities, tables } from "./entity-world.ts";

type Command = { type: "hire"; who: string } | { type: "list" };
type Event = { type: "hired"; who: string };

/** The people of a team, in order. */
const team = defineEntity({
  type: "team",
  initial: (): { people: string[] } => ({ people: [] }),
  decide: (command: Command, state) =>
    command.type === "list"
      ? { reply: state.people }
      : { events: [{ type: "hired", who: command.who } as Event], reply: state.people },
  evolve: (state, event: Event) => ({ people: [...state.people, event.who] }),
});

describe.each(["packed", "bucketed"] as const)(
  "an entity with encrypted events, in the %s layout",
  (layout) => {
    test("skips the events of a forgotten subject, and snapshots that contain it", async () => {
      const port = await engineForEntities({ layout });
      await ensureTable(port, keyTableSpec());
      const keys = openKeyStore(port);
      const codecs = encryptedCodecs({
        keys,
        // A state with several people must go with any of them; here only one is ever forgotten.
        subjectOf: ({ kind, content }) =>
          kind === "event"
            ? (content as Event).who
            : (content as { people: string[] }).people.find((one) => one === "ann"),
      });
      const options = { table: tables.events, layout, codecs };
      const open = async (withSnapshots: boolean) =>
        openEntities({
          journal: await openJournal(port, options),
          ...(withSnapshots && {
            snapshots: await openSnapshots(port, {
              journal: options,
              ...(layout === "bucketed" && { table: tables.snapshots }),
            }),
          }),
          entities: [team],
          ...(withSnapshots && { snapshotEvery: 2 }),
        });
      const first = await open(true);
      for (const who of ["ann", "bob", "cid", "ann"]) await first.of(team).ask("t1", { type: "hire", who });
      await first.idle();
      await first.close();
      await keys.forget("ann");
      for (const withSnapshots of [true, false]) {
        const host = await open(withSnapshots);
        expect(await host.of(team).ask("t1", { type: "list" })).toEqual(["bob", "cid"]);
        await host.close();
      }
    });
  },
);

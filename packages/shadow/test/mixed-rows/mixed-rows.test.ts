/** Tables in which godeviceshadow, this package and strangers have written, read by every public function. */
import type { Item } from "@tablekeep/core";
import { fakeClock } from "@tablekeep/testkit";
import fc from "fast-check";
import { expect, test } from "vitest";
import { awsShadows, openShadowManager, storedChanges } from "../../src/index.ts";
import { type ShadowWorld, shadowWorld } from "../shadow-world.ts";
import {
  foreign,
  ids,
  itemOf,
  type Kind,
  kinds,
  memoryItem,
  names,
  now,
  type Place,
  type Row,
  tables,
} from "./mixed-tables.ts";
import { expectedRead, printed, readItem, stateText, textOf } from "./naive-reader.ts";

async function filledWorld({ rows, memories }: { rows: [Place, Row][]; memories: [Place, never][] }) {
  const world = await shadowWorld();
  const items = new Map<string, Item>();
  for (const [at, given] of rows) items.set(JSON.stringify([at.id, at.name, at.kind]), itemOf(at, given));
  for (const item of [...items.values(), ...memories.map(([at, each]) => memoryItem(at, each)), ...foreign])
    await world.put(item);
  return { world, items };
}

const pairs = ids.flatMap((id) => names.map((name) => ({ id, name })));
const models = ["combined", "separate"] as const;

test("every read returns what the items contain", async () => {
  await fc.assert(
    fc.asyncProperty(tables, async (table) => {
      const { world, items } = await filledWorld(table as never);
      try {
        await checkReads(world, items);
        await checkLists(world, items, table.limit);
        await checkImages(world, items);
      } finally {
        await world.engine.close();
      }
    }),
    { numRuns: 150 },
  );
});

async function checkReads(world: ShadowWorld, items: ReadonlyMap<string, Item>): Promise<void> {
  const clock = fakeClock({ startAt: now });
  for (const shadowModel of models) {
    const store = { table: world.table, model: shadowModel, clock };
    const shadows = world.open({ model: shadowModel, clock });
    const manager = openShadowManager(world.port, store);
    const aws = awsShadows(manager, clock);
    for (const atomic of [false, true]) {
      const results = await shadows.read(pairs, { atomic });
      for (const [at, { id, name }] of pairs.entries()) {
        const expected = expectedRead(items, id, name, shadowModel);
        const outcome = results[at]?.outcome;
        if ("error" in expected) {
          expect(outcome).toMatchObject({ kind: "rejected", error: { code: expected.error } });
          continue;
        }
        const value = outcome?.kind === "ok" ? outcome.value : undefined;
        for (const half of ["reported", "desired"] as const) {
          const held = expected.kinds.findIndex((kind) => kind === "combined" || kind === half);
          const read = expected.reads[held];
          const stored = value?.[half];
          if (read === undefined) expect(stored).toBeUndefined();
          else
            expect([
              printed(stored?.value),
              stored?.version,
              String(stored?.timeStamp),
              stored?.clientToken,
            ]).toEqual([textOf(read[half]), read.version, read.time, read.token]);
        }
      }
    }
    for (const { id, name } of pairs) {
      const expected = expectedRead(items, id, name, shadowModel);
      const view = await manager.get({ id, name }).catch((error: { code: string }) => error.code);
      const document = await aws
        .get({ thingName: id, shadowName: name })
        .catch((error: { code: string }) => error.code);
      if ("error" in expected) {
        expect(view).toBe(expected.error === "SHADOW_NOT_FOUND" ? undefined : expected.error);
        expect(document).toBe(expected.error);
        continue;
      }
      const { state, delta } = stateText(expected.reads, expected.kinds);
      const highest = Math.max(...expected.reads.map((read) => read.version));
      const shown = view as { state: object; delta?: object; version: number };
      expect([printed(shown.state), shown.delta && printed(shown.delta), shown.version]).toEqual([
        state,
        delta,
        highest,
      ]);
      const { delta: published, ...rest } = (document as { state: { delta?: object } }).state;
      expect([printed(rest), published && printed(published)]).toEqual([state, delta]);
      expect((document as { version: number }).version).toBe(highest);
    }
  }
}

async function checkLists(
  world: ShadowWorld,
  items: ReadonlyMap<string, Item>,
  limit: number,
): Promise<void> {
  const expected = [...items].flatMap(([text, item]) => {
    const [id, name, kind] = JSON.parse(text) as [string, string, Kind];
    const read = readItem(item);
    return "error" in read ? [] : [`${id} ${name} ${kind} ${read.version} ${read.time} ${read.token}`];
  });
  const shadows = world.open();
  const collect = async (filter: { id?: string; kind?: Kind }) => {
    const found: string[] = [];
    let token: string | undefined;
    do {
      const page = await shadows.list({ ...filter, limit, token });
      for (const { id, name, kind, version: n, timeStamp: time, clientToken } of page.rows)
        found.push(`${id} ${name} ${kind} ${n} ${time} ${clientToken}`);
      token = page.token;
    } while (token !== undefined);
    return found.toSorted();
  };
  expect(await collect({})).toEqual(expected.toSorted());
  for (const id of ids) {
    const own = expected.filter((text) => text.startsWith(`${id} `));
    expect(await collect({ id })).toEqual(own.toSorted());
    for (const kind of kinds)
      expect(await collect({ id, kind })).toEqual(
        own.filter((text) => text.split(" ")[2] === kind).toSorted(),
      );
    const has = (name: string, kind: Kind) => items.has(JSON.stringify([id, name, kind]));
    expect((await shadows.duplicates(id)).toSorted()).toEqual(
      names
        .filter((name) => has(name, "combined") && (has(name, "reported") || has(name, "desired")))
        .toSorted(),
    );
    for (const shadowModel of models) {
      const manager = openShadowManager(world.port, { table: world.table, model: shadowModel });
      const listed: string[] = [];
      let nextToken: string | undefined;
      do {
        const page = await awsShadows(manager).listNamed({
          thingName: id,
          pageSize: String(limit),
          nextToken,
        });
        listed.push(...(page["results"] as string[]));
        nextToken = page["nextToken"] as string | undefined;
      } while (nextToken !== undefined);
      const kindsOf: readonly Kind[] = shadowModel === "combined" ? ["combined"] : ["reported", "desired"];
      const readable = (name: string, kind: Kind) => {
        const item = items.get(JSON.stringify([id, name, kind]));
        return item !== undefined && !("error" in readItem(item));
      };
      const wanted = names.filter((name) => name !== "" && kindsOf.some((kind) => readable(name, kind)));
      expect(listed.toSorted()).toEqual(wanted.toSorted());
    }
  }
}

/** The change that a new row makes is read as the row itself is. */
async function checkImages(world: ShadowWorld, items: ReadonlyMap<string, Item>): Promise<void> {
  const read = () => undefined;
  for (const [text, item] of items) {
    const [id, name, kind] = JSON.parse(text) as [string, string, Kind];
    const expected = readItem(item);
    const options = { read, policy: "aws", now: 0n } as const;
    if ("error" in expected) {
      expect(() => storedChanges([{ before: undefined, after: item }], options)).toThrow();
      continue;
    }
    const [made] = storedChanges([{ before: undefined, after: item }], options);
    const { state } = stateText([expected], [kind]);
    expect(made).toMatchObject({ id, name, kind: "updated", version: expected.version });
    expect(made?.kind === "updated" && printed(made.update.current.state)).toBe(state);
    const [gone] = storedChanges([{ before: item, after: undefined }], options);
    expect(gone).toMatchObject({ id, name, kind: "deleted", version: expected.version });
  }
  for (const item of foreign)
    expect(storedChanges([{ before: undefined, after: item }], { read, policy: "aws", now: 0n })).toEqual([]);
  expect(world.table).toBe("shadows");
}

test("versions of deleted shadows continue, and are never replaced by lower ones", {
  timeout: 600_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(tables, async (table) => {
      const { world, items } = await filledWorld(table as never);
      try {
        for (const { id, name } of pairs)
          await checkVersions(world, items, table.memories as never, id, name);
      } finally {
        await world.engine.close();
      }
    }),
    { numRuns: 150 },
  );
});

/** Deletes a combined shadow of any writer, and creates it again: the version is above all earlier ones. */
async function checkVersions(
  world: ShadowWorld,
  items: ReadonlyMap<string, Item>,
  memories: readonly (readonly [Place, { version: number; expires: number }])[],
  id: string,
  name: string,
): Promise<void> {
  const has = (kind: Kind) => items.has(JSON.stringify([id, name, kind]));
  if (has("reported") || has("desired")) return;
  const item = items.get(JSON.stringify([id, name, "combined"]));
  const read = item && readItem(item);
  if (read !== undefined && "error" in read) return;
  const remembered = memories.find(([at]) => at.id === id && at.name === name && at.kind === "combined")?.[1];
  const known = remembered !== undefined && remembered.expires > 0 ? remembered.version : 0;
  const shadows = world.open({ clock: fakeClock({ startAt: now }) });
  if (read !== undefined) {
    const [deleted] = await shadows.delete([{ id, name }]);
    expect(deleted?.outcome).toMatchObject({ kind: "ok", value: { versions: { reported: read.version } } });
  }
  const before = Math.max(known, read?.version ?? 0);
  const [made] = await shadows.write([{ id, name, reported: { a: 1 }, desired: null, version: 0 }]);
  expect(made?.outcome).toMatchObject({ kind: "ok", value: { versions: { reported: before + 1 } } });
}

import { fakeClock } from "@tablekeep/testkit";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Mail, type MailOptions, openMail } from "../../src/index.ts";
import { engineWithMail } from "../engine-mail.ts";
import { type Action, actions } from "./mail-arbitraries.ts";
import { MailModel } from "./mail-model.ts";

const layouts: readonly (readonly [name: string, runs: number, options: MailOptions])[] = [
  ["sharded", 25, { layout: "sharded" }],
  ["sharded over one shard", 8, { layout: "sharded", shards: 1 }],
  ["mhdynamo", 8, { layout: "mhdynamo" }],
  ["mhdynamo by half days", 4, { layout: "mhdynamo", partitionBy: "half-day" }],
  ["mhdynamo by hours", 4, { layout: "mhdynamo", partitionBy: "hour" }],
];

const idsOf = (items: readonly { readonly id: string }[]) => items.map(({ id }) => id);

async function checkLook(mail: Mail, model: MailModel, { search, start, limit }: Action & { do: "look" }) {
  const all = idsOf(model.live());
  const matching = idsOf(model.find(search));
  const page = await mail.list({ start, limit });
  expect(idsOf(page.items)).toEqual(all.slice(start, start + limit));
  const found = await mail.search(search, { start, limit, total: true });
  expect(idsOf(found.items)).toEqual(matching.slice(start, start + limit));
  expect(found.total).toBe(matching.length);
  const walked: string[] = [];
  let next: string | undefined;
  for (let pages = 0; pages <= matching.length; pages++) {
    const part = await mail.search(search, { limit: 2, cursor: next });
    walked.push(...idsOf(part.items));
    next = part.next;
    if (next === undefined) break;
  }
  expect(walked).toEqual(matching);
}

async function runAction(
  mail: Mail,
  model: MailModel,
  jump: (ms: number) => void,
  action: Action,
): Promise<void> {
  switch (action.do) {
    case "store": {
      const { id, created } = await mail.store(action.envelope, action.raw);
      const known = { ...action.envelope, helo: action.envelope.helo };
      return model.add({ id, created, envelope: known, raw: action.raw });
    }
    case "pass":
      return jump(action.ms);
    case "delete one": {
      const id = idsOf(model.live())[action.at] ?? "no id";
      expect(await mail.deleteOne(id)).toBe(model.remove([id]) === 1);
      return;
    }
    case "delete some": {
      const ids = idsOf(model.live()).filter((_, at) => at % action.every === 0);
      expect(await mail.deleteMany(ids)).toBe(model.remove(ids));
      return;
    }
    case "delete found":
      expect(await mail.deleteMany(action.search)).toBe(model.remove(idsOf(model.find(action.search))));
      return;
    case "delete all":
      expect(await mail.deleteAll()).toBe(model.remove(idsOf(model.live())));
      return;
    case "look":
      return checkLook(mail, model, action);
  }
}

describe.each(layouts)("a mail store, %s", (_name, numRuns, options) => {
  test("agrees with a plain list, for any sequence of operations on two instances", async () => {
    const property = fc.asyncProperty(actions, async (run) => {
      // A message that is dropped by the table late, days after it has expired: time passes for the store only.
      const clock = fakeClock({ startAt: Date.UTC(2050, 2, 10, 11, 59, 58) });
      const port = await engineWithMail({ ...options, clock: undefined });
      const given = { ...options, clock };
      const instances = [await openMail(port, given), await openMail(port, given)] as const;
      const model = new MailModel(7, () => clock.now());
      for (const [at, { by, action }] of run.entries()) {
        await runAction(instances[by], model, (ms) => clock.jump(ms), action);
        if (at % 2 === 0 && at < run.length - 1) continue;
        const all = idsOf(model.live());
        expect(await instances[by].count()).toBe(all.length);
        expect(idsOf((await instances[by].list({ limit: 100 })).items)).toEqual(all);
      }
      await port.close();
    });
    await fc.assert(property, { numRuns });
  });
});

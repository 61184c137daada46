import { ensureTable } from "@tablekeep/client";
import { wrapPort } from "@tablekeep/core";
import { openEngine } from "@tablekeep/engine";
import { journalTableSpec, openJournal } from "@tablekeep/journal";
import { worksOn } from "./works.mjs";

/** Throws unless both sides send the same requests for every workload, apart from randomly generated values. */
export async function expectSameRequests(makeFloor, makeJournal, shape) {
  const [floor, journal] = [await recorded(makeFloor, shape), await recorded(makeJournal, shape)];
  for (const work of floor.names) {
    const [expected, actual] = [await floor.requestsOf(work), await journal.requestsOf(work)];
    for (let at = 0; at < Math.max(expected.length, actual.length); at++) {
      if (expected[at] === actual[at]) continue;
      const both = `${expected[at]}\n${actual[at]}`;
      throw new Error(`${work}: request ${at + 1} of the floor is not the journal's:\n${both}`);
    }
  }
}

async function recorded(makeSide, shape) {
  const engine = await openEngine({ storage: { kind: "memory" } });
  const requests = [];
  const port = wrapPort(engine, (operation, input, options, next) => {
    requests.push(`${operation} ${JSON.stringify(comparable(input))}`);
    return next(operation, input, options);
  });
  const options = { table: "same-requests", layout: "packed" };
  await ensureTable(port, { ...journalTableSpec(options) });
  const works = worksOn(await makeSide(port, await openJournal(port, options), options.table), shape);
  return {
    names: Object.keys(works),
    async requestsOf(work) {
      const { prepare, events, run } = works[work];
      // The first append of an id also recovers its writer.
      await (prepare ?? run)(0);
      requests.length = 0;
      for (let done = 0; done < 100; done += events) await run(0);
      return [...requests];
    },
  };
}

/** Random values, and the checksum, which covers them. */
const drawn = new Set(["wid", "w", "ts", "crc", "sum"]);

function comparable(value, name) {
  if (drawn.has(name)) return "drawn";
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (Array.isArray(value)) return value.map((element) => comparable(element));
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members.map(([key, member]) => [key, comparable(member, key)]).sort());
}

import { open } from "lmdb";
import { itemOf } from "../../lib/workload.mjs";

/**
 * What the storage library does alone, with values as bytes (`encoding: "binary"`, its plain use) or as texts (as the
 * engine uses it): the same keys and JSON texts, one synchronous transaction a turn for all writers,
 * flushed before anyone hears of it. A conditional put reads the key first. Nothing is validated, parsed or counted.
 */
export async function lmdbFloor(path, encoding) {
  const keyEncoder = {
    writeKey: (key, target, position) => position + target.write(key, position, "latin1"),
    readKey: (source, start, end) => source.toString("latin1", start, end),
  };
  const database = open({ path, pageSize: 8192, encoding, keyEncoder, overlappingSync: false });
  const text = (at) => {
    const json = JSON.stringify(itemOf(at));
    return encoding === "binary" ? Buffer.from(json) : json;
  };
  const keyOf = (at) => `\x01\0\0\0\x01${String(at % 1000).padStart(16, "h")}item-${at}`;
  let waiting = [];
  const write = (run) =>
    new Promise((resolve) => {
      waiting.push({ run, resolve });
      if (waiting.length === 1) setImmediate(flush);
    });
  const flush = () => {
    const all = waiting;
    waiting = [];
    database.transactionSync(() => {
      for (const { run } of all) run();
    });
    for (const { resolve } of all) resolve();
  };
  const putNew = (at) => {
    if (database.get(keyOf(at)) === undefined) database.putSync(keyOf(at), text(at));
  };
  await write(() => {
    for (let at = 0; at < 500; at++) database.putSync(keyOf(at), text(at));
    for (let at = 0; at < 100; at++) database.putSync(`\x02page${String(at).padStart(4, "0")}`, text(at));
  });
  let next = 1_000_000;
  let read = 0;
  return {
    calls: {
      put: () => write(() => putNew(next++)),
      get: async () => database.get(keyOf((read++ * 7919) % 500)),
      "query of 100": async () => [
        ...database.getRange({ start: "\x02page", end: "\x02pagf", snapshot: false }),
      ],
      "batch of 25": () =>
        write(() => {
          for (let count = 0; count < 25; count++) database.putSync(keyOf(next), text(next++));
        }),
      "transaction of 2": () =>
        write(() => {
          putNew(next++);
          putNew(next++);
        }),
    },
    close: () => database.close(),
  };
}

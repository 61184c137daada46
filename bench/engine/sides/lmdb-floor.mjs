import { open } from "lmdb";
import { itemOf } from "../../lib/workload.mjs";

/**
 * The storage library alone: the same keys and items, one synchronous transaction a turn for all writers,
 * flushed before it is acknowledged. A conditional put reads the key first. Nothing is validated or counted.
 *
 * Values are JSON as bytes (`binary`: read, they are bytes), JSON as texts (`string`: read, they are texts that nobody
 * parses), or objects in the library's own format (`msgpack`, its default: read, they are what the engine answers).
 */
export async function lmdbFloor(path, encoding, shape) {
  const keyEncoder = {
    writeKey: (key, target, position) => position + target.write(key, position, "latin1"),
    readKey: (source, start, end) => source.toString("latin1", start, end),
  };
  const database = open({ path, pageSize: 8192, encoding, keyEncoder, overlappingSync: false });
  const value = (at) => {
    if (encoding === "msgpack") return itemOf(at, shape);
    const json = JSON.stringify(itemOf(at, shape));
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
    if (database.get(keyOf(at)) === undefined) database.putSync(keyOf(at), value(at));
  };
  await write(() => {
    for (let at = 0; at < 500; at++) database.putSync(keyOf(at), value(at));
    for (let at = 0; at < 100; at++) database.putSync(`\x02page${String(at).padStart(4, "0")}`, value(at));
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
          for (let count = 0; count < 25; count++) database.putSync(keyOf(next), value(next++));
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

/** One process of a feed, to be killed: writes events, sequences them or reads them. Prints one JSON document per line. */
import { writeSync } from "node:fs";
import { httpPort } from "@tablekeep/client";
import { isTablekeepError } from "@tablekeep/core";
import { type LayoutName, openJournal } from "@tablekeep/journal";
import { seededRandom } from "@tablekeep/testkit";
import { openFeed } from "../../src/index.ts";
import type { ChildArguments, EndedLine, ReadLine, WrittenLine } from "../kill/start-feed-child.ts";

const { role, endpoint, table, layout, seed, from, leaseMs } = JSON.parse(
  process.argv[2] ?? "",
) as ChildArguments;
const credentials = { accessKeyId: "local", secretAccessKey: "local" };
const port = httpPort({ endpoint, credentials });
const journal = { table, layout: layout as LayoutName };
const ids = 7;

function print(line: WrittenLine | ReadLine | EndedLine): void {
  // Not lost with the process, whenever it is killed.
  writeSync(1, `${JSON.stringify(line)}\n`);
}

async function write(): Promise<void> {
  const opened = await openJournal(port, journal);
  const random = seededRandom(seed);
  for (let count = 0; ; count++) {
    const persistenceId = `thing|${random.int(1, ids)}`;
    const names = Array.from({ length: random.int(1, 3) }, (_unused, at) => `${seed}/${count}/${at}`);
    const outcome = await opened.append(
      persistenceId,
      names.map((payload) => ({ payload })),
    );
    if (outcome.kind === "ok") print({ persistenceId, names });
  }
}

async function read(): Promise<void> {
  const feed = await openFeed<string>(port, { journal, pollMs: 100 });
  for await (const event of feed.read({ live: true, from })) {
    const { persistenceId, sequenceNr, slice, offset, late, position, payload: name } = event;
    print({ persistenceId, sequenceNr, slice, offset, late, position, name });
  }
}

async function sequence(): Promise<void> {
  const feed = await openFeed(port, { journal, slices: 4, leaseMs, checkpointMs: 50 });
  await feed.run({ signal: new AbortController().signal });
}

try {
  await { write, read, sequence }[role]();
} catch (error) {
  if (!isTablekeepError(error)) throw error;
  print({ ended: error.code });
}

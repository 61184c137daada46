/** Replays an id and reports the memory used to its parent. Arguments: the endpoint, and the options of the journal. */
import { readFileSync } from "node:fs";
import { httpPort } from "@tablekeep/client";
import { openJournal } from "@tablekeep/journal";

const [endpoint, options] = process.argv.slice(2);
const port = httpPort({
  endpoint,
  region: "us-east-1",
  credentials: { accessKeyId: "bench", secretAccessKey: "bench" },
});
const journal = await openJournal(port, JSON.parse(options));
for await (const _event of journal.replay("long", { max: 5_000 }));
const before = anonymousKb();
const startedAt = performance.now();
let most = before;
let count = 0;
for await (const { payload } of journal.replay("long")) {
  if (payload.number !== ++count) throw new Error(`event ${count} holds ${JSON.stringify(payload)}`);
  if (count % 1000 === 0) most = Math.max(most, anonymousKb());
}
const seconds = (performance.now() - startedAt) / 1000;
await port.close();
process.send({ count, seconds, extraMb: (most - before) / 1024 }, () => process.exit());

function anonymousKb() {
  const [, kb] = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8"));
  return Number(kb);
}

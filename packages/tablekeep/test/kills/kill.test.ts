/** kill -9 of the whole server under mail, events and shadow updates at once: acknowledged writes are still there. */
import { setTimeout as pause } from "node:timers/promises";
import { seededRandom } from "@tablekeep/testkit";
import { beforeAll, expect, test } from "vitest";
import { buildProgram } from "../build-program.ts";
import { startServed } from "../shadow/served-process.ts";
import { type Accepted, writeByMqtt, writeByRest } from "../shadow/update-writers.ts";
import { tempFolder } from "../temp-folder.ts";
import { type Acknowledged, writeByPort, writeEvents, writeMail } from "./mixed-writers.ts";

const kills = 12 * Math.max(1, Number(process.env["TABLEKEEP_TEST_SCALE"] ?? 1));
const folder = tempFolder();
let program = "";
beforeAll(async () => {
  program = await buildProgram();
});

type Urls = Readonly<Record<string, string>>;
type Kept = Acknowledged | ({ readonly kind: "shadow" } & Accepted);
const entries = ["mail", "api", "port", "rest", "mqtt"] as const;

interface Load {
  readonly urls: Urls;
  readonly round: number;
  readonly gone: AbortSignal;
  readonly keep: (one: Kept, entry: string) => void;
}

/** All kinds of load at once, two of each. Ends once the server has died. */
async function writeAll({ urls, round, gone, keep }: Load): Promise<void> {
  const { http = "", smtp = "", dynamodb = "", mqtt = "" } = urls;
  const lanes = [0, 1].flatMap((lane) => {
    const own = `${round}-${lane}`;
    const mixed = (entry: string) => ({
      name: `${entry}-${own}`,
      count: 100,
      gone,
      onAcknowledged: (one: Acknowledged) => keep(one, entry),
    });
    const shadow = (entry: string) => ({
      thing: `thing-${round}`,
      name: `${entry}${lane}-`,
      count: 100,
      onAccepted: (one: Accepted) => keep({ kind: "shadow", ...one }, entry),
    });
    return [
      writeMail(smtp, mixed("mail")),
      writeEvents(http, mixed("api")),
      writeByPort(dynamodb, mixed("port")),
      writeByRest({ ...shadow("rest"), base: http }),
      writeByMqtt({ ...shadow("mqtt"), base: mqtt }),
    ];
  });
  await Promise.all(lanes);
}

/** Acknowledged writes that are lost, duplicated or out of order. */
async function problemsOf(http: string, kept: readonly Kept[]): Promise<string[]> {
  const get = async (path: string) => (await fetch(new URL(path, http))).text();
  const problems: string[] = [];
  for (const one of kept) {
    if (one.kind !== "mail") continue;
    const raw = await get(`/api/v3/mail/messages/${one.id}/raw`);
    if (!raw.includes(`Subject: ${one.token}\r\n`)) problems.push(`mail ${one.token} is lost`);
  }
  const events = kept.filter((one) => one.kind === "event");
  for (const id of new Set(events.map(({ persistenceId }) => persistenceId))) {
    const answer = await get(`/api/v3/journals/journal/ids/${id}/events?limit=1000`);
    const { events: stored } = JSON.parse(answer) as { events: StoredEvent[] };
    stored.forEach(({ sequenceNr }, at) => {
      if (sequenceNr !== at + 1) problems.push(`${id}: number ${sequenceNr} in place ${at + 1}`);
    });
    for (const { persistenceId, at, token } of events) {
      if (persistenceId === id && stored[at - 1]?.payload.token !== token)
        problems.push(`${id}: event ${at} is lost`);
    }
    // A write of three is there whole or not at all; one of the API's is one.
    const size = id.startsWith("port") ? 3 : 1;
    if (stored.length % size !== 0) problems.push(`${id}: ${stored.length} events of writes of ${size}`);
    const tokens = new Set(stored.map(({ payload }) => payload.token));
    if (tokens.size * size !== stored.length) problems.push(`${id}: an event is there twice`);
  }
  const updates = kept.filter((one) => one.kind === "shadow");
  for (const thing of new Set(updates.map((one) => one.thing))) {
    const { state, version } = JSON.parse(await get(`/things/${thing}/shadow`)) as StoredShadow;
    for (const { key } of updates) if (!(key in state.reported)) problems.push(`${thing}: ${key} is lost`);
    if (version !== Object.keys(state.reported).length) problems.push(`${thing}: an update was done twice`);
  }
  return problems;
}

interface StoredEvent {
  readonly sequenceNr: number;
  readonly payload: { readonly token: string };
}
interface StoredShadow {
  readonly state: { readonly reported: Record<string, unknown> };
  readonly version: number;
}

test(`${kills} times kill -9 under mail, events and shadow updates: nothing acknowledged is lost`, async () => {
  const random = seededRandom("everything");
  const problems: string[] = [];
  const acknowledged = Object.fromEntries(entries.map((entry) => [entry, 0])) as Record<string, number>;
  let kept: Kept[] = [];
  for (let round = 0; round < kills; round++) {
    const served = startServed(program, folder);
    const urls = await served.urls;
    problems.push(...(await problemsOf(urls["http"] ?? "", kept)));
    kept = [];
    // After a number of writes, not after a time: a server on a slow machine must not be killed before it has done anything.
    const enough = random.int(10, 150);
    let reached = () => {};
    const isEnough = new Promise<void>((resolve) => {
      reached = resolve;
    });
    const gone = new AbortController();
    const keep: Load["keep"] = (one, entry) => {
      acknowledged[entry] = (acknowledged[entry] ?? 0) + 1;
      if (kept.push(one) >= enough) reached();
    };
    const writing = writeAll({ urls, round, gone: gone.signal, keep });
    await Promise.race([isEnough, writing]);
    await pause(random.int(0, 5));
    await served.kill();
    gone.abort();
    await writing;
  }
  const last = startServed(program, folder);
  problems.push(...(await problemsOf((await last.urls)["http"] ?? "", kept)));
  expect(await last.stop()).toBe(0);
  expect(problems).toEqual([]);
  for (const entry of entries) expect(acknowledged[entry], entry).toBeGreaterThan(kills);
});

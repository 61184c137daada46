import { afterAll, beforeAll, expect, test } from "vitest";
import { type RunningServer, startServer } from "../start-server.ts";

const ids = 150;
let server: RunningServer;
let journal: string;

beforeAll(async () => {
  const off = { dynamodb: false, mail: false, shadows: false } as const;
  server = await startServer({ memory: true, httpPort: 0, feed: true, ...off });
  journal = `${server.listeners[0]?.url}api/v3/journals/journal`;
  for (let at = 0; at < ids; at++) {
    const body = JSON.stringify({ events: [{ payload: at }] });
    expect((await fetch(`${journal}/ids/id-${at}/events`, { method: "POST", body })).status).toBe(200);
  }
});
afterAll(() => server.stop());

/** Returns how many turns the event loop had until the work was done. */
async function turnsUntil(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  let isDone = false;
  const count = () => {
    turns++;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  await work.finally(() => {
    isDone = true;
  });
  return turns;
}

test("the requests of a verification leave turns to others, one for each id at least", async () => {
  const verified = async () => {
    const answer = await fetch(`${journal}/verification`);
    expect(await answer.json()).toMatchObject({ ids, complete: true });
  };
  expect(await turnsUntil(verified())).toBeGreaterThan(ids);
});

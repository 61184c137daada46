import type { Clock, DynamoPort, Item, Key } from "@tablekeep/core";
import { fakeClock } from "@tablekeep/testkit";
import { afterEach, expect, test, vi } from "vitest";
import { startCredentialServices } from "../../test/credential-services.ts";
import { answer, loopbackServer, reject } from "../../test/loopback-server.ts";
import { httpPort } from "../http/http-port.ts";

const minute = 60_000;
const lifetimeMs = 60 * minute;
const pages = 100;

afterEach(() => {
  vi.unstubAllEnvs();
});

/** A table of one hundred pages that only lets in keys which have not ended, and notes which came. */
async function startTable(clock: Clock, issuedAt: ReadonlyMap<string, number>) {
  const keysSeen: string[] = [];
  const server = await loopbackServer((request, response) => {
    const key = /Credential=(\w+)\//.exec(request.headers.authorization ?? "")?.[1] ?? "";
    const token = request.headers["x-amz-security-token"];
    const headers = { date: new Date(clock.now()).toUTCString() };
    const endsAt = (issuedAt.get(key) ?? Number.NEGATIVE_INFINITY) + lifetimeMs;
    if (endsAt <= clock.now() || token !== `token-of-key-${key.slice(3)}`) {
      reject(response, "ExpiredTokenException", { headers });
      return;
    }
    keysSeen.push(key);
    const start = request.body["ExclusiveStartKey"] as Key | undefined;
    const page = Number(start?.["n"]?.N ?? 0) + 1;
    const at = { n: { N: String(page) } };
    answer(response, { Items: [at], ...(page < pages && { LastEvaluatedKey: at }) }, 200, headers);
  });
  return { keysSeen, server };
}

async function readAll(port: DynamoPort, afterPage: () => Promise<void>): Promise<Item[]> {
  const items: Item[] = [];
  let from: Key | undefined;
  do {
    const page = await port.query({ TableName: "t", ExclusiveStartKey: from });
    items.push(...(page.Items ?? []));
    from = page.LastEvaluatedKey;
    await afterPage();
  } while (from !== undefined);
  return items;
}

test("a read of 200 minutes outlives three expiries of its credentials, with one renewal for each", async () => {
  const clock = fakeClock({ startAt: Date.now() });
  await using services = await startCredentialServices(clock, lifetimeMs);
  const { keysSeen, server } = await startTable(clock, services.issuedAt);
  for (const [name, value] of Object.entries(services.containerEnv)) vi.stubEnv(name, value);
  const port = httpPort({ endpoint: server.url, clock });

  const items = await readAll(port, async () => {
    // A renewal in progress has a timer: let it end before time advances, as with a real clock.
    await expect.poll(() => clock.pending, { interval: 1 }).toBe(0);
    await clock.advance(2 * minute);
  });
  await port.close();
  await server.close();

  expect(items.map((item) => item["n"]?.N)).toEqual(Array.from({ length: pages }, (_, n) => String(n + 1)));
  expect([...new Set(keysSeen)]).toEqual(["KEY1", "KEY2", "KEY3", "KEY4"]);
  expect(server.seen.length).toBe(pages);
  expect(services.issuedAt.size).toBe(4);
});

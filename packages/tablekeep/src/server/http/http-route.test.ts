import { getEventListeners } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { abortOnDisconnect, type HttpExchange, streamSignal } from "./http-route.ts";

const stopping = new AbortController();
const signals: AbortSignal[] = [];
const server = createServer((request, response) => {
  const exchange = { response, signal: abortOnDisconnect(response), stopping: stopping.signal };
  signals.push(streamSignal(exchange as HttpExchange));
  if (request.url === "/ended") response.end("done");
  else response.write("more follows");
});
let url: string;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const listeners = () => getEventListeners(stopping.signal, "abort").length;

test("the signal of a stream ends with its client or its server, and the server keeps nothing of it", async () => {
  for (let i = 0; i < 20; i++) expect(await (await fetch(`${url}/ended`)).text()).toBe("done");
  await expect.poll(listeners).toBe(0);
  expect(signals.some(({ aborted }) => aborted)).toBe(false);

  const left = new AbortController();
  await fetch(url, { signal: left.signal });
  expect(listeners()).toBe(1);
  left.abort();
  await expect.poll(() => signals.at(-1)?.aborted).toBe(true);
  expect(listeners()).toBe(0);

  await fetch(url);
  stopping.abort("stop");
  expect(signals.at(-1)?.reason).toBe("stop");
});

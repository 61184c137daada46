import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { xssPayloads } from "./xss-payloads.ts";

/** Payloads that lead to a server of their own, and whoever came there. */
export interface HostilePayloads extends Disposable {
  readonly payloads: readonly string[];
  /** What was asked for: data that is looked at must send nobody here. */
  readonly tracked: readonly string[];
}

/** Starts the server that hostile payloads want to reach. */
export async function hostilePayloads(): Promise<HostilePayloads> {
  const tracked: string[] = [];
  const tracker = createServer((request, response) => {
    tracked.push(request.url ?? "");
    response.end();
  });
  await new Promise<void>((resolve) => tracker.listen(0, "127.0.0.1", resolve));
  const away = `http://127.0.0.1:${(tracker.address() as AddressInfo).port}/x`;
  return {
    payloads: xssPayloads.map((payload) => payload.replaceAll("AWAY", away)),
    tracked,
    [Symbol.dispose]: () => void tracker.close(),
  };
}

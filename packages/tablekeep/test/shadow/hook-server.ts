import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";

/** A request to a hook. */
export interface Posted {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The body, parsed. */
  readonly event: {
    readonly type: string;
    readonly rule: string;
    readonly thing: string;
    readonly name: string;
    readonly version: number;
    readonly document: Record<string, unknown>;
  };
}

/** A real HTTP server that receives hooks, until the test is over. `statusOf` answers each. */
export async function hookServer(statusOf: (posted: Posted) => number | Promise<number> = () => 200) {
  const posted: Posted[] = [];
  const server = createServer((request, response) => {
    void text(request).then(async (body) => {
      const one = { headers: request.headers, body, event: JSON.parse(body) as Posted["event"] };
      posted.push(one);
      response.writeHead(await statusOf(one)).end();
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, posted };
}

/** A URL where nothing listens. */
export async function deadUrl(): Promise<string> {
  const server = createServer();
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}/`;
}

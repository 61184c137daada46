import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";

/** Where the relay drops a connection. In the first two DynamoDB never sees the request. */
export const dropPoints = [
  "on connecting",
  "before it is passed on",
  "after it is applied",
  "after the headers",
  "in the middle of the body",
] as const;

export type DropPoint = (typeof dropPoints)[number];

/** Stands between a client and a real server and loses connections on demand. */
export interface DroppingRelay {
  readonly url: string;
  /** The point at which the next connection is dropped, and how many of them. */
  drop(point: DropPoint, times?: number): void;
  /** How many requests have reached it, and how many it has passed on. */
  readonly counts: { received: number; passedOn: number; dropped: number };
  close(): Promise<void>;
}

/** Starts a relay in front of `endpoint`. */
export async function droppingRelay(endpoint: string): Promise<DroppingRelay> {
  const counts = { received: 0, passedOn: 0, dropped: 0 };
  const plan: DropPoint[] = [];
  /** Takes the next drop if it is meant for this point. */
  const drops = (point: DropPoint): boolean => {
    if (plan[0] !== point) return false;
    plan.shift();
    counts.dropped++;
    return true;
  };

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await bodyOf(request);
    counts.received++;
    if (drops("before it is passed on")) {
      response.destroy();
      return;
    }
    counts.passedOn++;
    const reply = await passOn(endpoint, request, body);
    if (drops("after it is applied")) response.destroy();
    else relay(reply, response, drops);
  };
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  server.on("connection", (socket: Socket) => {
    socket.on("error", () => {});
    if (drops("on connecting")) socket.resetAndDestroy();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    counts,
    drop(point, times = 1) {
      plan.push(...Array<DropPoint>(times).fill(point));
      // A kept connection would pass the point by.
      if (point === "on connecting") server.closeAllConnections();
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface Reply {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
}

function relay(reply: Reply, response: ServerResponse, drops: (point: DropPoint) => boolean): void {
  response.writeHead(reply.status, { ...reply.headers, "content-length": reply.body.length });
  response.flushHeaders();
  if (drops("after the headers")) {
    setTimeout(() => response.destroy(), 5);
  } else if (drops("in the middle of the body")) {
    response.write(reply.body.subarray(0, Math.ceil(reply.body.length / 2)));
    setTimeout(() => response.destroy(), 5);
  } else {
    response.end(reply.body);
  }
}

async function bodyOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function passOn(endpoint: string, request: IncomingMessage, body: Buffer): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const { connection: _, ...headers } = request.headers;
    const outgoing = httpRequest(endpoint, { method: "POST", headers, agent: false }, (answer) => {
      const { "transfer-encoding": __, connection: ___, ...kept } = answer.headers;
      bodyOf(answer).then((body) => resolve({ status: answer.statusCode ?? 0, headers: kept, body }), reject);
    });
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

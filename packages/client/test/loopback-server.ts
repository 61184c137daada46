import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { crc32 } from "node:zlib";

/** One request as the server saw it. */
export interface SeenRequest {
  /** Counted from 1 over the life of the server. */
  readonly number: number;
  readonly operation: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: Record<string, unknown>;
  readonly text: string;
}

/** The action of a script for a request. */
export type Script = (request: SeenRequest, response: ServerResponse) => unknown;

/** A loopback HTTP server whose every answer the test decides. */
export interface LoopbackServer {
  readonly url: string;
  readonly seen: SeenRequest[];
  /** Sockets open now, the most there ever were at a time, and how many were opened and closed. */
  readonly sockets: { open: number; peak: number; total: number; closed: number };
  /** Called for each connection, before anything is read. */
  onConnection: (socket: Socket, number: number) => void;
  script: Script;
  /** Ends connections that have no request, as servers do. */
  closeIdle(): void;
  close(): Promise<void>;
}

/** Starts one on a free port. */
export async function loopbackServer(script: Script): Promise<LoopbackServer> {
  const seen: SeenRequest[] = [];
  const sockets = { open: 0, peak: 0, total: 0, closed: 0 };
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("error", () => {});
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const text = Buffer.concat(chunks).toString();
      const target = String(request.headers["x-amz-target"]);
      const one: SeenRequest = {
        number: seen.length + 1,
        operation: target.slice(target.indexOf(".") + 1),
        headers: request.headers,
        body: JSON.parse(text) as Record<string, unknown>,
        text,
      };
      seen.push(one);
      void self.script(one, response);
    });
  });
  server.on("connection", (socket) => {
    sockets.open++;
    sockets.total++;
    sockets.peak = Math.max(sockets.peak, sockets.open);
    socket.on("error", () => {});
    socket.on("close", () => {
      sockets.open--;
      sockets.closed++;
    });
    self.onConnection(socket, sockets.total);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const self: LoopbackServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    sockets,
    onConnection: () => {},
    script,
    closeIdle() {
      server.closeIdleConnections();
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return self;
}

/** Answers as DynamoDB does, checksum included. */
export function answer(
  response: ServerResponse,
  body: unknown,
  status = 200,
  headers: Record<string, string> = {},
): void {
  const bytes = Buffer.from(JSON.stringify(body));
  response.writeHead(status, {
    "content-type": "application/x-amz-json-1.0",
    "content-length": bytes.length,
    "x-amzn-requestid": "REQUEST-1",
    "x-amz-crc32": String(crc32(bytes)),
    ...headers,
  });
  response.end(bytes);
}

/** Rejects as DynamoDB does. */
export function reject(
  response: ServerResponse,
  exception: string,
  more: { status?: number; headers?: Record<string, string>; body?: object } = {},
): void {
  const body = {
    __type: `com.amazonaws.dynamodb.v20120810#${exception}`,
    message: `${exception} it is`,
    ...more.body,
  };
  answer(response, body, more.status ?? 400, more.headers);
}

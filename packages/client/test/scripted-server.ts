import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** One request as the server sees it. */
export interface ScriptedRequest {
  /** 1 for the first request of all. */
  readonly number: number;
  /** The operation, from `x-amz-target`. */
  readonly operation: string;
  readonly body: Record<string, unknown>;
  readonly headers: IncomingMessage["headers"];
}

/** What the server does with a request. */
export type ScriptedReply =
  | { readonly status?: number; readonly json: object }
  /** A body that is not DynamoDB's. */
  | { readonly status?: number; readonly text: string }
  /** The connection ends without an answer. */
  | "drop"
  /** No answer ever comes. */
  | "hang";

/** A server on this machine that speaks DynamoDB's protocol and does with each request what the test says. */
export interface ScriptedServer extends AsyncDisposable {
  readonly url: string;
  readonly requests: readonly ScriptedRequest[];
}

/** Starts one. */
export async function scriptedServer(
  script: (request: ScriptedRequest) => ScriptedReply,
): Promise<ScriptedServer> {
  const requests: ScriptedRequest[] = [];
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const request = {
        number: requests.length + 1,
        operation: String(incoming.headers["x-amz-target"]).split(".")[1] ?? "",
        body: JSON.parse(Buffer.concat(chunks).toString() || "{}"),
        headers: incoming.headers,
      };
      requests.push(request);
      reply(response, script(request));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    [Symbol.asyncDispose]: () => stop(server),
  };
}

/** DynamoDB's answer that it did not carry a request out. */
export function refusal(exception: string, message: string, more: object = {}, status = 400): ScriptedReply {
  return { status, json: { __type: `com.amazonaws.dynamodb.v20120810#${exception}`, message, ...more } };
}

function reply(response: ServerResponse, what: ScriptedReply): void {
  if (what === "hang") return;
  if (what === "drop") {
    response.socket?.destroy();
    return;
  }
  const body = "json" in what ? JSON.stringify(what.json) : what.text;
  response.writeHead(what.status ?? 200, {
    "content-type": "application/x-amz-json-1.0",
    "x-amzn-requestid": "REQUEST-ID",
  });
  response.end(body);
}

async function stop(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

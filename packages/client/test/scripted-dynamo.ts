import type { ServerResponse } from "node:http";
import { answer, loopbackServer, type SeenRequest } from "./loopback-server.ts";

/** The server's action for a request. */
export type ScriptedReply =
  | { readonly status?: number; readonly json: object }
  /** A body that is not DynamoDB's. */
  | { readonly text: string }
  /** The connection ends without an answer. */
  | "drop"
  /** No answer ever comes. */
  | "hang";

/** A server on this machine that speaks DynamoDB's protocol and does with each request what the test says. */
export interface ScriptedDynamo extends AsyncDisposable {
  readonly url: string;
  readonly requests: readonly SeenRequest[];
}

/** Starts one. */
export async function scriptedDynamo(
  script: (request: SeenRequest) => ScriptedReply,
): Promise<ScriptedDynamo> {
  const server = await loopbackServer((request, response) => reply(response, script(request)));
  return { url: server.url, requests: server.seen, [Symbol.asyncDispose]: server.close };
}

/** DynamoDB's answer that it did not carry a request out. */
export function rejection(
  exception: string,
  message: string,
  more: object = {},
  status = 400,
): ScriptedReply {
  return { status, json: { __type: `com.amazonaws.dynamodb.v20120810#${exception}`, message, ...more } };
}

function reply(response: ServerResponse, what: ScriptedReply): void {
  if (what === "hang") return;
  if (what === "drop") response.socket?.destroy();
  else if ("json" in what) answer(response, what.json, what.status);
  else response.writeHead(200, { "content-type": "text/html" }).end(what.text);
}

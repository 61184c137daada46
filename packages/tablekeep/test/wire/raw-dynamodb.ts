import { once } from "node:events";
import { type OutgoingHttpHeaders, request } from "node:http";
import { connect, type Socket } from "node:net";
import { buffer } from "node:stream/consumers";

/** An answer as it came over the wire. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
  /** The body as JSON. */
  json(): Record<string, unknown>;
}

/** Sends one request, exactly as given. */
export async function send(
  endpoint: string,
  headers: OutgoingHttpHeaders,
  body: string | Buffer = "",
  method = "POST",
): Promise<RawAnswer> {
  const outgoing = request(endpoint, { method, headers, agent: false });
  const answered = once(outgoing, "response");
  outgoing.end(body);
  const [response] = await answered;
  const bytes = await buffer(response);
  return {
    status: response.statusCode,
    headers: response.headers,
    body: bytes,
    json: () => JSON.parse(bytes.toString("utf8")),
  };
}

/** Sends an operation the way SDKs do, without a signature. */
export function call(
  endpoint: string,
  operation: string,
  input: unknown,
  headers: OutgoingHttpHeaders = {},
): Promise<RawAnswer> {
  const body = typeof input === "string" ? input : JSON.stringify(input);
  return send(endpoint, { ...target(operation), ...headers }, body);
}

/** The headers that name an operation. */
export function target(operation: string): OutgoingHttpHeaders {
  return {
    "content-type": "application/x-amz-json-1.0",
    "x-amz-target": `DynamoDB_20120810.${operation}`,
  };
}

/** A bare connection to an endpoint. */
export async function openSocket(endpoint: string): Promise<Socket> {
  const { hostname, port } = new URL(endpoint);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  return socket;
}

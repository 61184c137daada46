import type { IncomingMessage } from "node:http";
import type { Answer } from "@tablekeep/engine";
import { hostAndPort } from "../listen.ts";

/** The answer to DescribeEndpoints: the address that the client used, because it has just proved to lead here. */
export function endpointAnswer({ headers, socket }: IncomingMessage): Answer {
  const Address = headers.host ?? hostAndPort(socket.localAddress ?? "127.0.0.1", socket.localPort ?? 0);
  return { Endpoints: [{ Address, CachePeriodInMinutes: 1440 }] };
}

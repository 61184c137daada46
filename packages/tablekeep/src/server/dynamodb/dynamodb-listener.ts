import type { Clock, Logger } from "@tablekeep/core";
import type { HttpLimits } from "../http/http-limits.ts";
import { httpListener } from "../http/http-listener.ts";
import type { ListenPlace } from "../listen.ts";
import type { Listener } from "../listener.ts";
import { dynamoDbHandler, type WireBackend } from "./dynamodb-handler.ts";
import type { AccessKeys } from "./verify-signature.ts";

/** What a DynamoDB listener is made of. */
export interface DynamoDbListenerOptions {
  readonly place: ListenPlace;
  readonly backend: WireBackend;
  /** Secret keys by access key id. @default none: any credentials do */
  readonly accessKeys?: AccessKeys | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Limits other than the usual ones. @default none */
  readonly limits?: Partial<HttpLimits>;
}

/** A program may well have hundreds of connections, and several programs share an endpoint. */
const limits: Partial<HttpLimits> = { connections: 2_000 };

/** DynamoDB's own protocol on one port, for any SDK. */
export function dynamoDbListener(options: DynamoDbListenerOptions): Listener {
  const { place, backend, accessKeys, clock, logger } = options;
  return httpListener({
    place,
    purpose: "DynamoDB endpoint, for any AWS SDK or CLI",
    handle: dynamoDbHandler({ backend, accessKeys, now: () => clock.now(), logger }),
    clock,
    logger,
    limits: { ...limits, ...options.limits },
  });
}

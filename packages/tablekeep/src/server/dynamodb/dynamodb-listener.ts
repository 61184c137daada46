import { randomBytes } from "node:crypto";
import type { Clock, Logger } from "@tablekeep/core";
import type { Engine, FolderListener } from "@tablekeep/engine";
import type { AccessKeys } from "../auth/verify-signature.ts";
import { type HttpLimits, httpListener } from "../http/http-listener.ts";
import type { Listener, ListenerAddress, ListenTarget } from "../listening/listener.ts";
import { dynamoDbHandler, type WireBackend } from "./dynamodb-handler.ts";

/** The address at which this machine reaches a listener: loopback if it listens on every address. */
export function reachableUrl(url: string): string {
  return url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:");
}

/** Options of a DynamoDB listener. */
export interface DynamoDbListenerOptions {
  readonly target: ListenTarget;
  readonly backend: WireBackend;
  /** Secret keys by access key id. @default none: any credentials are accepted */
  readonly accessKeys?: AccessKeys;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Limits that differ from the defaults. @default none */
  readonly limits?: Partial<HttpLimits>;
}

/** A program may well have hundreds of connections, and several programs share an endpoint. */
const limits: Partial<HttpLimits> = { connections: 2_000 };

/** DynamoDB's own protocol on one port, for any SDK. */
export function dynamoDbListener(options: DynamoDbListenerOptions): Listener {
  const { target, backend, accessKeys, clock, logger } = options;
  return httpListener({
    target,
    purpose: "DynamoDB endpoint, for any AWS SDK or CLI",
    handle: dynamoDbHandler({ backend, accessKeys, now: () => clock.now(), logger }),
    clock,
    logger,
    limits: { ...limits, ...options.limits },
  });
}

/** The access of the command line to a folder that a server has open. */
export interface CommandEndpoint {
  readonly listener: Listener;
  /** Writes the addresses of listeners into the folder. Returns whether users should see the address. */
  onListening(address: ListenerAddress): boolean;
}

/**
 * A DynamoDB endpoint on loopback for commands, independent of the server's other listeners. Requests must be signed with a key that
 * is generated for this run and written to the folder's `owner.json`, which only its user can read.
 */
export function commandEndpoint(
  engine: Engine,
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
): CommandEndpoint {
  const accessKeyId = `commands-${randomBytes(8).toString("hex")}`;
  const secretAccessKey = randomBytes(32).toString("base64url");
  const target = { listener: "commands", host: "127.0.0.1", port: 0, portFlag: "--data" };
  const accessKeys = { [accessKeyId]: secretAccessKey };
  const shown: FolderListener[] = [];
  let publicEndpoint: string | undefined;
  let privateEndpoint: string | undefined;
  return {
    listener: dynamoDbListener({ target, backend: engine, accessKeys, clock, logger }),
    onListening({ name, url }) {
      if (name === "dynamodb") publicEndpoint = reachableUrl(url);
      if (name === target.listener) privateEndpoint = url;
      else shown.push({ name, url });
      const access = privateEndpoint && { endpoint: privateEndpoint, accessKeyId, secretAccessKey };
      engine.announce(publicEndpoint, access || undefined, shown);
      return name !== target.listener;
    },
  };
}

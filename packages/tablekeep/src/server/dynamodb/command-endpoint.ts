import { randomBytes } from "node:crypto";
import type { Clock, Logger } from "@tablekeep/core";
import type { Engine } from "@tablekeep/engine";
import type { Listener, ListenerAddress } from "../listener.ts";
import { dynamoDbListener } from "./dynamodb-listener.ts";
import { reachableUrl } from "./reachable-url.ts";

/** How the command line reaches a folder that a server has open. */
export interface CommandEndpoint {
  readonly listener: Listener;
  /** Writes where listeners can be reached into the folder. Returns whether users should see the address. */
  onListening(address: ListenerAddress): boolean;
}

/**
 * A DynamoDB endpoint on loopback for commands, whatever else the server offers. Requests must be signed with a key that
 * is made for this run and stands in the folder's `owner.json`, which only its user can read.
 */
export function commandEndpoint(
  engine: Engine,
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
): CommandEndpoint {
  const accessKeyId = `commands-${randomBytes(8).toString("hex")}`;
  const secretAccessKey = randomBytes(32).toString("base64url");
  const place = { listener: "commands", host: "127.0.0.1", port: 0, portFlag: "--data" };
  const accessKeys = { [accessKeyId]: secretAccessKey };
  let publicEndpoint: string | undefined;
  let privateEndpoint: string | undefined;
  return {
    listener: dynamoDbListener({ place, backend: engine, accessKeys, clock, logger }),
    onListening({ name, url }) {
      if (name === "dynamodb") publicEndpoint = reachableUrl(url);
      if (name === place.listener) privateEndpoint = url;
      const access = privateEndpoint && { endpoint: privateEndpoint, accessKeyId, secretAccessKey };
      engine.announce(publicEndpoint, access || undefined);
      return name !== place.listener;
    },
  };
}

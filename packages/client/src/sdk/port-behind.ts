import type { DynamoPort } from "@tablekeep/core";

const ports = new WeakMap<object, DynamoPort>();

/** Notes which port an SDK client of ours runs on. */
export function notePort(client: object, port: DynamoPort): void {
  ports.set(client, port);
}

/** The port that an SDK client runs on; undefined for one that talks to a network. */
export function portBehind(client: object): DynamoPort | undefined {
  return ports.get(client);
}

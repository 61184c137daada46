import type { Server } from "node:net";

/** One listener of the server: a protocol on a port. */
export interface Listener {
  /** One word that names it to people: `http`, `smtp`. */
  readonly name: string;
  /** What one finds there, in a few words. */
  readonly purpose: string;
  /** What accepts its connections. */
  readonly server: Server;
  /** Starts to accept, and tells where: a URL with the port that the system gave. */
  start(): Promise<string>;
  /** Accepts nothing new, lets work under way finish for at most `graceMs`, then ends it. */
  stop(graceMs: number): Promise<void>;
}

/** A listener that has started. */
export interface ListenerAddress {
  readonly name: string;
  readonly purpose: string;
  readonly url: string;
}

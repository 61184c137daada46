import { InvalidArgumentError } from "commander";

/** A TCP port from the command line; 0 lets the system choose one. */
export function parsePort(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535) {
    throw new InvalidArgumentError("give a port from 0 to 65535; 0 lets the system choose");
  }
  return port;
}

import { once } from "node:events";
import { type AddressInfo, isIPv4, type Server } from "node:net";
import { type ListenDetails, type PortHolder, ServerError } from "../server-error.ts";
import { portHolder } from "./port-holder.ts";

/**
 * Whether `host` is reachable only from this machine. A name other than localhost may resolve to anything, so it does
 * not count.
 */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIPv4(host) && host.startsWith("127."));
}

/** One listener of the server: a protocol on a port. */
export interface Listener {
  /** Its one-word name: `http`, `smtp`. */
  readonly name: string;
  /** A short description of what it serves. */
  readonly purpose: string;
  /** The server that accepts its connections. */
  readonly server: Server;
  /** Starts to accept connections; resolves to the URL with the actual port. */
  start(): Promise<string>;
  /** Stops accepting connections, lets work in flight finish for at most `graceMs`, then aborts it. */
  stop(graceMs: number): Promise<void>;
}

/** A listener that has started. */
export interface ListenerAddress {
  readonly name: string;
  readonly purpose: string;
  readonly url: string;
}

/** The address that people open: the console's includes its path. Health checks, MQTT and AWS's paths stay at the root. */
export function addressToOpen<Address extends Pick<ListenerAddress, "name" | "url">>(
  address: Address,
  webPath: string,
): Address {
  if (address.name !== "http" || webPath === "") return address;
  return { ...address, url: new URL(`${webPath}/`, address.url).href };
}

/** The address of a listener, and the flag of `serve` that changes it. */
export interface ListenTarget extends ListenDetails {
  readonly portFlag: string;
}

/** Binds `server`; resolves to the port, which the system chooses for port 0. */
export async function listen(server: Server, target: ListenTarget): Promise<number> {
  try {
    server.listen({ host: target.host, port: target.port, exclusive: true });
    await once(server, "listening");
    return (server.address() as AddressInfo).port;
  } catch (error) {
    throw await listenError(error as NodeJS.ErrnoException, target);
  }
}

/** `127.0.0.1:8025`, `[::1]:8025`. */
export function hostAndPort(host: string, port: number): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

async function listenError(error: NodeJS.ErrnoException, target: ListenTarget): Promise<ServerError> {
  const { portFlag, ...details } = target;
  const where = `port ${target.port} on ${target.host}`;
  switch (error.code) {
    case "EADDRINUSE":
      return portTaken(error, target, await portHolder(target.port));
    case "EACCES":
      return new ServerError(
        "SERVER_PORT_DENIED",
        `${where} requires privileges: choose a port above 1023 with ${portFlag}`,
        details,
        error,
      );
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return new ServerError(
        "SERVER_HOST_UNAVAILABLE",
        `${target.host} is not an address of this machine: set another one with --host`,
        details,
        error,
      );
    default:
      return new ServerError(
        "SERVER_LISTEN_FAILED",
        `cannot listen on ${where} (${error.code ?? error.message}): set another address with --host, or another port with ${portFlag}`,
        details,
        error,
      );
  }
}

function portTaken(
  error: Error,
  { portFlag, ...details }: ListenTarget,
  holder: PortHolder | undefined,
): ServerError {
  const by = holder === undefined ? "" : ` by ${holderWords(holder)}`;
  return new ServerError(
    "SERVER_PORT_TAKEN",
    `port ${details.port} on ${details.host} is in use${by}: stop the other process, or set another port with ${portFlag}`,
    { ...details, ...(holder && { holder }) },
    error,
  );
}

function holderWords({ pid, program, dataFolder }: PortHolder): string {
  if (pid === process.pid) return "this process";
  return `process ${pid} (${program}${dataFolder === undefined ? "" : `, serving ${dataFolder}`})`;
}

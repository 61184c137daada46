import { once } from "node:events";
import type { AddressInfo, Server } from "node:net";
import { type PortHolder, portHolder } from "./port-holder.ts";
import { type ListenDetails, ServerError } from "./server-error.ts";

/** Where a listener listens, and which flag of `serve` moves it elsewhere. */
export interface ListenPlace extends ListenDetails {
  readonly portFlag: string;
}

/** Binds `server`; resolves to the port, which the system chooses for port 0. */
export async function listen(server: Server, place: ListenPlace): Promise<number> {
  try {
    server.listen({ host: place.host, port: place.port, exclusive: true });
    await once(server, "listening");
    return (server.address() as AddressInfo).port;
  } catch (error) {
    throw await listenError(error as NodeJS.ErrnoException, place);
  }
}

/** `127.0.0.1:8025`, `[::1]:8025`. */
export function hostAndPort(host: string, port: number): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

async function listenError(error: NodeJS.ErrnoException, place: ListenPlace): Promise<ServerError> {
  const { portFlag, ...details } = place;
  const where = `port ${place.port} on ${place.host}`;
  switch (error.code) {
    case "EADDRINUSE":
      return portTaken(error, place, await portHolder(place.port));
    case "EACCES":
      return new ServerError(
        "SERVER_PORT_DENIED",
        `${where} needs privileges that this process lacks: choose one above 1023 with ${portFlag}`,
        details,
        error,
      );
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return new ServerError(
        "SERVER_HOST_UNAVAILABLE",
        `${place.host} is no address of this machine: choose one with --host`,
        details,
        error,
      );
    default:
      return new ServerError(
        "SERVER_LISTEN_FAILED",
        `cannot listen on ${where}: ${error.code ?? error.message}`,
        details,
        error,
      );
  }
}

function portTaken(
  error: Error,
  { portFlag, ...details }: ListenPlace,
  holder: PortHolder | undefined,
): ServerError {
  const by = holder === undefined ? "" : ` by ${holderWords(holder)}`;
  return new ServerError(
    "SERVER_PORT_TAKEN",
    `port ${details.port} on ${details.host} is taken${by}: stop what uses it, or choose another with ${portFlag}`,
    { ...details, ...(holder && { holder }) },
    error,
  );
}

function holderWords({ pid, program, dataFolder }: PortHolder): string {
  if (pid === process.pid) return "this process itself";
  return `process ${pid} (${program}${dataFolder === undefined ? "" : `, which serves ${dataFolder}`})`;
}

import { type ErrorKind, isTablekeepError, nameErrors, TablekeepError } from "@tablekeep/core";

/** What keeps a server from starting, by code. */
export interface ServerErrorDetails {
  /** An option that is unknown or of a wrong value. */
  SERVER_OPTION_INVALID: { option: string; reason: string };
  /** The data folder is something else than a folder. */
  SERVER_DATA_FOLDER_INVALID: { dataFolder: string };
  /** Tables that the server needs are not there, and it may not make them. */
  SERVER_TABLES_MISSING: { tables: readonly string[] };
  /** A non-loopback host without authentication. */
  SERVER_HOST_REFUSED: { host: string };
  /** The host is not an address of this machine. */
  SERVER_HOST_UNAVAILABLE: ListenDetails;
  /** Somebody else listens there; `holder` tells who, where the system does. */
  SERVER_PORT_TAKEN: ListenDetails & { holder?: PortHolder };
  /** The system keeps this port for privileged users. */
  SERVER_PORT_DENIED: ListenDetails;
  SERVER_LISTEN_FAILED: ListenDetails;
  /** The file of users and password hashes cannot be read or understood. */
  SERVER_USERS_FILE_INVALID: { path: string; line?: number };
  /** The file of tokens and their hashes cannot be read or understood. */
  SERVER_TOKENS_FILE_INVALID: { path: string; line?: number };
}

/** Which listener could not listen where. */
export interface ListenDetails {
  readonly listener: string;
  readonly host: string;
  readonly port: number;
}

/** The process that listens on a port, as far as the system tells. */
export interface PortHolder {
  readonly pid: number;
  /** The program and its script, without their arguments: those may hold secrets. */
  readonly program: string;
  /** The data folder that it has open, if it is a server of ours. */
  readonly dataFolder?: string;
}

/** The codes of {@link ServerError}. */
export type ServerErrorCode = keyof ServerErrorDetails;

/** The kind of each code. `docs/reference/errors.md` lists the same. */
export const serverErrorKinds: Readonly<Record<ServerErrorCode, ErrorKind>> = {
  SERVER_OPTION_INVALID: "invalid",
  SERVER_DATA_FOLDER_INVALID: "invalid",
  SERVER_TABLES_MISSING: "not-found",
  SERVER_HOST_REFUSED: "denied",
  SERVER_HOST_UNAVAILABLE: "not-found",
  SERVER_PORT_TAKEN: "conflict",
  SERVER_PORT_DENIED: "denied",
  SERVER_LISTEN_FAILED: "unavailable",
  SERVER_USERS_FILE_INVALID: "invalid",
  SERVER_TOKENS_FILE_INVALID: "invalid",
};

/** An error of the server itself. */
export class ServerError<Code extends ServerErrorCode = ServerErrorCode> extends TablekeepError<
  Code,
  ServerErrorDetails[Code]
> {
  static {
    nameErrors(ServerError, "ServerError");
  }

  constructor(code: Code, message: string, details: ServerErrorDetails[Code], cause?: unknown) {
    super({ code, kind: serverErrorKinds[code], message, details, cause });
  }
}

/** Whether `error` is of the server and of this code. */
export function isServerError<Code extends ServerErrorCode>(
  error: unknown,
  code: Code,
): error is ServerError<Code> {
  return isTablekeepError(error, code);
}

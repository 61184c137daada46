import { type ErrorKind, isTablekeepError, nameErrors, TablekeepError } from "@tablekeep/core";
import type { InvalidFileDetails } from "./json-file.ts";

/** Reasons why a server, or a part of it, cannot do its work, by code. */
export interface ServerErrorDetails {
  /** An option is unknown or has an invalid value. */
  SERVER_OPTION_INVALID: { option: string; reason: string };
  /** The data folder is not a folder. */
  SERVER_DATA_FOLDER_INVALID: { dataFolder: string };
  /** Required tables are missing, and the server may not create them. */
  SERVER_TABLES_MISSING: { tables: readonly string[] };
  /** A non-loopback host without authentication. */
  SERVER_HOST_REFUSED: { host: string };
  /** The host is not an address of this machine. */
  SERVER_HOST_UNAVAILABLE: ListenDetails;
  /** The port is in use; `holder` is the process, if the system reports it. */
  SERVER_PORT_TAKEN: ListenDetails & { holder?: PortHolder };
  /** The port requires privileges. */
  SERVER_PORT_DENIED: ListenDetails;
  SERVER_LISTEN_FAILED: ListenDetails;
  /** The users file cannot be read or is invalid. */
  SERVER_USERS_FILE_INVALID: { path: string; line?: number };
  /** The tokens file cannot be read or is invalid. */
  SERVER_TOKENS_FILE_INVALID: { path: string; line?: number };
  /** The file of AWS IoT policies cannot be read or is invalid. */
  SERVER_POLICIES_FILE_INVALID: InvalidFileDetails;
  /** The file of shadow schemas cannot be read or is invalid. */
  SERVER_SCHEMAS_FILE_INVALID: InvalidFileDetails;
  /** The file of recipient rules cannot be read or is invalid. */
  SERVER_RULES_FILE_INVALID: InvalidFileDetails;
  /** The file of web hooks cannot be read or is invalid. */
  SERVER_HOOKS_FILE_INVALID: InvalidFileDetails;
  /** The file of relay rules cannot be read or is invalid. */
  SERVER_RELAY_RULES_INVALID: InvalidFileDetails;
  /** The file of shadow rules cannot be read or is invalid. */
  SERVER_SHADOW_RULES_INVALID: InvalidFileDetails;
  /** The file of synced shadows cannot be read or is invalid. */
  SERVER_SHADOW_SYNC_INVALID: InvalidFileDetails;
  /** The module of entity definitions cannot be loaded, or exports none. */
  SERVER_ENTITIES_INVALID: { path: string; reason: string };
  /** No registered entity has the persistence id. */
  SERVER_ENTITY_UNKNOWN: { persistenceId: string };
  /** The thread that rebuilds states was stopped, or the state is too large. */
  SERVER_FOLD_STOPPED: { problem: FoldProblem; reason: string };
  /** Too many states are being rebuilt. */
  SERVER_FOLDS_BUSY: { waiting: number };
  /** Simulated devices cannot connect. */
  SERVER_SIMULATION_FAILED: { host: string; reason: string };
  /** A request of a test to its server failed. `status` is that of the response, if there is one. */
  SERVER_CALL_FAILED: { url: string; reason: string; status?: number };
  /** What a test waits for has not arrived in time. `seen` is what arrived instead. */
  SERVER_WAIT_TIMED_OUT: { waitedFor: string; timeoutMs: number; seen: readonly string[] };
  /** A mail of a test lacks a link, a code or an attachment. `found` is what it has instead. */
  SERVER_MAIL_LACKS: { wanted: string; subject: string; found: readonly string[] };
}

/**
 * Why a state was not rebuilt. `ended`: the thread ended, for example because it used too much memory. `writes` and `too-many-requests`: a
 * definition broke a rule. `closed`: the server is stopping, or the request was aborted.
 */
export type FoldProblem =
  | "too-large"
  | "too-slow"
  | "ended"
  | "writes"
  | "too-many-requests"
  | "failed"
  | "closed";

/** The listener that failed, and its address. */
export interface ListenDetails {
  readonly listener: string;
  readonly host: string;
  readonly port: number;
}

/** The process that listens on a port, as far as the system reports it. */
export interface PortHolder {
  readonly pid: number;
  /** The program and its script, without arguments, which may contain secrets. */
  readonly program: string;
  /** The data folder that it has open, if it is a server of ours. */
  readonly dataFolder?: string;
}

/** The codes of {@link ServerError}. */
export type ServerErrorCode = keyof ServerErrorDetails;

/** The kind of each code, as listed in `docs/reference/errors.md`. */
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
  SERVER_POLICIES_FILE_INVALID: "invalid",
  SERVER_SCHEMAS_FILE_INVALID: "invalid",
  SERVER_RULES_FILE_INVALID: "invalid",
  SERVER_HOOKS_FILE_INVALID: "invalid",
  SERVER_RELAY_RULES_INVALID: "invalid",
  SERVER_SHADOW_RULES_INVALID: "invalid",
  SERVER_SHADOW_SYNC_INVALID: "invalid",
  SERVER_ENTITIES_INVALID: "invalid",
  SERVER_ENTITY_UNKNOWN: "not-found",
  SERVER_FOLD_STOPPED: "unavailable",
  SERVER_FOLDS_BUSY: "throttled",
  SERVER_SIMULATION_FAILED: "unavailable",
  SERVER_CALL_FAILED: "unavailable",
  SERVER_WAIT_TIMED_OUT: "unavailable",
  SERVER_MAIL_LACKS: "not-found",
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
    const kind = serverErrorKinds[code];
    super({ code, kind, message, details, retryable: kind === "throttled", cause });
  }
}

/**
 * Returns whether `error` is a {@link ServerError} with this code.
 *
 * @example
 * if (isServerError(error, "SERVER_PORT_TAKEN")) console.error(error.message);
 */
export function isServerError<Code extends ServerErrorCode>(
  error: unknown,
  code: Code,
): error is ServerError<Code> {
  return isTablekeepError(error, code);
}

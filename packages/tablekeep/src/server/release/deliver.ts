import { once } from "node:events";
import { connect, isIP, type Socket } from "node:net";
import { Readable } from "node:stream";
import type { Clock } from "@tablekeep/core";
import { createTransport } from "nodemailer";
import { isLoopback } from "../listening/listener.ts";
import { type Relay, ReleaseError } from "./relays.ts";

const pieceBytes = 64 * 1024;
const carriageReturn = 0x0d;

/** The bytes in chunks, with every lone CR or LF replaced by CR LF, so that no server reads one as the end of the message. */
function* wholeLines(raw: Uint8Array): Generator<Buffer> {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  let from = 0;
  while (from < bytes.length) {
    let to = Math.min(from + pieceBytes, bytes.length);
    // Does not split a CR LF.
    if (to < bytes.length && bytes[to - 1] === carriageReturn) to++;
    const text = bytes.toString("latin1", from, to);
    yield Buffer.from(text.replace(/\r\n|\r|\n/g, "\r\n"), "latin1");
    from = to;
  }
}

/** One mailbox: no spaces, no controls, nothing that could end the address or the line. */
export const mailbox: RegExp = /^[^\s\p{Cc}<>(),;:\\"@]{1,64}@[^\s\p{Cc}<>(),;:\\"@]{1,255}$/u;

/** The reply of a relay that accepted a message. */
export interface SentInfo {
  /** Its last reply. */
  readonly response: string;
  /** Recipients that it rejected while it accepted others. */
  readonly rejected: readonly string[];
  /** The rejected recipients that it may accept later. */
  readonly deferred: readonly string[];
}

/** The address to connect to, and the deadline. */
export interface DeliveryOptions {
  /** The address to connect to; the relay's name is not looked up again. */
  readonly address: string;
  readonly clock: Clock;
  readonly deadlineMs: number;
  readonly signal?: AbortSignal;
}

/** Sends a message to a relay, over a new connection. Rejects with a {@link ReleaseError}. */
export async function deliver(delivery: RelayDelivery, options: DeliveryOptions): Promise<SentInfo> {
  const { address, clock, deadlineMs, signal } = options;
  const socket = connect({ host: address, port: delivery.relay.port });
  const giveUp = () => socket.destroy(new Error("aborted, or deadline exceeded"));
  const cancel = clock.after(deadlineMs, giveUp);
  signal?.addEventListener("abort", giveUp, { once: true });
  if (signal?.aborted) giveUp();
  try {
    return await send(socket, delivery);
  } finally {
    cancel();
    signal?.removeEventListener("abort", giveUp);
    socket.destroy();
  }
}

/** The delivery of one message to one relay. */
export interface RelayDelivery {
  readonly relay: Relay;
  readonly hostname: string;
  readonly envelope: { readonly from: string; readonly to: readonly string[] };
  readonly raw: Uint8Array;
  /** Whether TLS is not used although the relay offers it. @default false */
  readonly withoutTls?: boolean;
}

async function send(
  socket: Socket,
  { relay, hostname, envelope, raw, withoutTls = false }: RelayDelivery,
): Promise<SentInfo> {
  try {
    await once(socket, "connect");
  } catch (error) {
    throw failed(relay, error, false);
  }
  const { host, port, username, password, mechanism, implicitTls = false } = relay;
  const transport = createTransport({
    host,
    port,
    connection: socket,
    secure: implicitTls,
    ignoreTLS: withoutTls,
    // Only the relay may see the password.
    requireTLS: username !== undefined && !isLoopback(host),
    tls: isIP(host) === 0 ? { servername: host } : {},
    name: hostname,
    ...(username === undefined ? {} : { auth: { user: username, pass: password ?? "" } }),
    ...(mechanism === undefined ? {} : { authMethod: mechanism }),
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  try {
    const { from, to } = envelope;
    const sent = await transport.sendMail({
      envelope: { from, to: [...to] },
      raw: Readable.from(wholeLines(raw)),
    });
    const later = (sent.rejectedErrors ?? []).filter(({ responseCode = 0 }) => responseCode < 500);
    return {
      response: sent.response,
      rejected: sent.rejected.map(String),
      deferred: later.map(({ recipient }) => String(recipient)),
    };
  } catch (error) {
    throw failed(relay, error, true);
  } finally {
    transport.close();
  }
}

/** Converts an error of the delivery. Without a reply the message may have been sent, unless sending never began. */
function failed(relay: Relay, error: unknown, connected: boolean): ReleaseError {
  const { responseCode, code, command } = error as { responseCode?: number; code?: string; command?: string };
  const { name } = relay;
  if (responseCode !== undefined) {
    const retryable = responseCode < 500;
    const message = `relay ${name} refused the message with ${responseCode}${retryable ? ": try again later" : ""}`;
    return new ReleaseError(
      "RELEASE_REFUSED",
      message,
      { relay: name, responseCode },
      { retryable, cause: error },
    );
  }
  const before = ["EAUTH", "ETLS", "EENVELOPE"].includes(code ?? "") || command === "EHLO";
  const message = `relay ${name} could not be used: ${code ?? "no answer"}`;
  return new ReleaseError(
    "RELEASE_FAILED",
    message,
    { relay: name },
    { retryable: true, ambiguous: connected && !before, cause: error },
  );
}

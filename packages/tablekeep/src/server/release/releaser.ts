import { once } from "node:events";
import { connect, isIP, type Socket } from "node:net";
import { Readable } from "node:stream";
import type { CallOptions, Clock } from "@tablekeep/core";
import type { MailMessage } from "@tablekeep/mail";
import { createTransport } from "nodemailer";
import { isLoopback } from "../loopback.ts";
import { type FindAddresses, relayAddress, systemAddresses } from "./relay-address.ts";
import type { Relay, Relays } from "./relays.ts";
import { ReleaseError } from "./release-error.ts";
import { wholeLines } from "./whole-lines.ts";

/** Which relay to use: by its name, or by where it is. */
export type RelayChoice = { readonly name: string } | { readonly host: string; readonly port: number };

/** Whom to release a message to. */
export interface ReleaseRequest {
  readonly relay: RelayChoice;
  /** @default the relay's `email` */
  readonly to?: string | undefined;
}

/** Sends stored messages on, to relays that were configured and nowhere else. */
export interface Releaser {
  readonly relays: Relays;
  /** Resolves once the relay has taken the message. Rejects with a {@link ReleaseError}. */
  release(
    message: Pick<MailMessage, "raw" | "envelope">,
    request: ReleaseRequest,
    options?: CallOptions,
  ): Promise<void>;
}

export interface ReleaserOptions {
  readonly relays: Relays;
  /** The name that this server gives itself. */
  readonly hostname: string;
  readonly clock: Clock;
  /** @default as the system finds them */
  readonly findAddresses?: FindAddresses;
}

/** Milliseconds that a release may take. */
const defaultDeadlineMs = 60_000;

/** One mailbox: no spaces, no controls, nothing that could end the address or the line. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const mailbox = /^[^\s\u0000-\u001f\u007f<>(),;:\\"@]{1,64}@[^\s\u0000-\u001f\u007f<>(),;:\\"@]{1,255}$/;

export function createReleaser(options: ReleaserOptions): Releaser {
  const { relays, hostname, clock, findAddresses = systemAddresses } = options;
  return {
    relays,
    async release(message, request, { signal, deadlineMs = defaultDeadlineMs } = {}) {
      const relay = findRelay(relays, request.relay);
      const to = request.to || relay.email || "";
      if (!mailbox.test(to)) throw noRecipient();
      const address = await relayAddress(relay, findAddresses);
      const { from } = message.envelope;
      const envelope = { from: mailbox.test(from) ? from : "", to: [to] };
      const socket = connect({ host: address, port: relay.port });
      const giveUp = () => socket.destroy(new Error("the caller gave up, or the time was over"));
      const cancel = clock.after(deadlineMs, giveUp);
      signal?.addEventListener("abort", giveUp, { once: true });
      if (signal?.aborted) giveUp();
      try {
        await send(socket, { relay, hostname, envelope, raw: message.raw });
      } finally {
        cancel();
        signal?.removeEventListener("abort", giveUp);
        socket.destroy();
      }
    },
  };
}

function findRelay(relays: Relays, choice: RelayChoice): Relay {
  const relay =
    "name" in choice
      ? relays.get(choice.name)
      : [...relays.values()].find(({ host, port }) => host === choice.host && port === choice.port);
  if (relay !== undefined) return relay;
  throw new ReleaseError(
    "RELEASE_RELAY_UNKNOWN",
    "messages are released only to configured relays: add this one to the file of --outgoing-smtp",
    {},
  );
}

function noRecipient(): ReleaseError {
  return new ReleaseError(
    "RELEASE_RECIPIENT_INVALID",
    "give one address to send to, such as name@example.com",
    {},
  );
}

interface Delivery {
  readonly relay: Relay;
  readonly hostname: string;
  readonly envelope: { readonly from: string; readonly to: string[] };
  readonly raw: Uint8Array;
}

async function send(socket: Socket, { relay, hostname, envelope, raw }: Delivery): Promise<void> {
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
    // A password is shown to nobody but the relay.
    requireTLS: username !== undefined && !isLoopback(host),
    tls: isIP(host) === 0 ? { servername: host } : {},
    name: hostname,
    ...(username === undefined ? {} : { auth: { user: username, pass: password ?? "" } }),
    ...(mechanism === undefined ? {} : { authMethod: mechanism }),
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  try {
    await transport.sendMail({ envelope, raw: Readable.from(wholeLines(raw)) });
  } catch (error) {
    throw failed(relay, error, true);
  } finally {
    transport.close();
  }
}

/** What a relay answered is known. Without an answer the message may be on its way, unless it never left. */
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

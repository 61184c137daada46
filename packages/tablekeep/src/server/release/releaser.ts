import type { CallOptions, Clock } from "@tablekeep/core";
import type { MailMessage } from "@tablekeep/mail";
import { deliver, mailbox } from "./deliver.ts";
import { type FindAddresses, relayAddress, systemAddresses } from "./relay-address.ts";
import type { Relay, Relays } from "./relays.ts";
import { ReleaseError } from "./relays.ts";

/** The relay to use: by name, or by host and port. */
export type RelayChoice = { readonly name: string } | { readonly host: string; readonly port: number };

/** The target of a release. */
export interface ReleaseRequest {
  readonly relay: RelayChoice;
  /** @default the relay's `email` */
  readonly to?: string | readonly string[];
}

/** The result of a release. */
export interface ReleaseResult {
  /** Recipients that the relay rejected while it accepted others. */
  readonly rejected: readonly string[];
  /** The rejected recipients that it may accept later. */
  readonly deferred: readonly string[];
}

/** Recipients of one release. */
const maxRecipients = 1_000;

/** Sends stored messages to configured relays, and nowhere else. */
export interface Releaser {
  readonly relays: Relays;
  /** Resolves once the relay has accepted the message. Rejects with a {@link ReleaseError}. */
  release(
    message: Pick<MailMessage, "raw" | "envelope">,
    request: ReleaseRequest,
    options?: CallOptions,
  ): Promise<ReleaseResult>;
}

export interface ReleaserOptions {
  readonly relays: Relays;
  /** The name of this server in SMTP. */
  readonly hostname: string;
  readonly clock: Clock;
  /** @default the system's resolver */
  readonly findAddresses?: FindAddresses;
}

/** Milliseconds that a release may take. */
const defaultDeadlineMs = 60_000;

export function createReleaser(options: ReleaserOptions): Releaser {
  const { relays, hostname, clock, findAddresses = systemAddresses } = options;
  return {
    relays,
    async release(message, request, { signal, deadlineMs = defaultDeadlineMs } = {}) {
      const relay = findRelay(relays, request.relay);
      const given = [request.to ?? []].flat().filter((address) => address !== "");
      const to = given.length > 0 ? given : [relay.email ?? ""];
      if (to.length > maxRecipients || !to.every((address) => mailbox.test(address))) throw noRecipient();
      const address = await relayAddress(relay, findAddresses);
      const { from } = message.envelope;
      const envelope = { from: mailbox.test(from) ? from : "", to };
      const delivery = { relay, hostname, envelope, raw: message.raw };
      const { rejected, deferred } = await deliver(delivery, { address, clock, signal, deadlineMs });
      return { rejected, deferred };
    },
  };
}

function findRelay(relays: Relays, choice: RelayChoice): Relay {
  const relay =
    "name" in choice
      ? relays.get(choice.name)
      : [...relays.values()].find(({ host, port }) => host === choice.host && port === choice.port);
  if (relay !== undefined) return relay;
  throw new ReleaseError("RELEASE_RELAY_UNKNOWN", "unknown relay: add it to the file of --outgoing-smtp", {});
}

function noRecipient(): ReleaseError {
  return new ReleaseError(
    "RELEASE_RECIPIENT_INVALID",
    `expected 1 to ${maxRecipients} recipient addresses, such as name@example.com`,
    {},
  );
}

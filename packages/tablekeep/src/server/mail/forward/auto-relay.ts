import { isTablekeepError } from "@tablekeep/core";
import { type Mail, readHeaderFields } from "@tablekeep/mail";
import { addressPatterns } from "../../patterns/wildcard.ts";
import { mailbox } from "../../release/deliver.ts";
import type { Releaser } from "../../release/releaser.ts";
import type { RelayRule } from "../../setting-files/relay-rules.ts";
import { ForwardFailure, type ForwardTarget, PermanentFailure } from "./forward-messages.ts";

/** The field of messages that were relayed: no server relays them again. */
const relayedField = "X-Tablekeep-Relayed";

/** RFC 5321, 6.3: as many hops mean a loop. */
const maxHops = 25;

/** Sends every new message to its recipients through a relay, except messages that were relayed before. */
export function autoRelay(
  { relay, inbox, matching }: RelayRule,
  { mail, releaser, hostname }: { mail: Pick<Mail, "load">; releaser: Releaser; hostname: string },
): ForwardTarget {
  const isWanted = matching === undefined ? () => true : addressPatterns(matching);
  const recipients = (to: readonly string[]) =>
    [...new Set(to)].filter((address) => mailbox.test(address) && isWanted(address));
  let current: Attempted | undefined;
  return {
    name: inbox === undefined ? `relay:${relay}` : `relay:${relay}:${inbox}`,
    wants: ({ envelope }) => recipients(envelope.to).length > 0,
    async forward({ id }, signal) {
      const message = await mail.load(id, { signal });
      if (message === undefined || isLooping(message.raw)) return;
      const { envelope } = message;
      const raw = Buffer.concat([Buffer.from(`${relayedField}: ${hostname}\r\n`), message.raw]);
      if (current?.id !== id) current = { id, left: recipients(envelope.to), refused: [] };
      const attempted = current;
      try {
        const request = { relay: { name: relay }, to: attempted.left };
        const { rejected, deferred } = await releaser.release({ envelope, raw }, request, { signal });
        attempted.left = deferred;
        attempted.refused.push(...rejected.filter((address) => !deferred.includes(address)));
      } catch (error) {
        if (isTablekeepError(error) && !error.retryable)
          throw new PermanentFailure(error.message, { cause: error });
        throw error;
      }
      if (attempted.left.length > 0)
        throw new ForwardFailure(`relay ${relay} rejected ${shown(attempted.left)} for now`);
      if (attempted.refused.length > 0)
        throw new PermanentFailure(`relay ${relay} rejected ${shown(attempted.refused)}`);
    },
  };
}

/** The message that is being relayed. */
interface Attempted {
  readonly id: string;
  /** Recipients that the relay has neither accepted nor rejected for good: the next attempt is for these. */
  left: readonly string[];
  readonly refused: string[];
}

function shown(addresses: readonly string[]): string {
  const more = addresses.length - 10;
  return `${addresses.slice(0, 10).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** Whether a message was relayed before, or has too many hops. */
export function isLooping(raw: Uint8Array): boolean {
  const fields = readHeaderFields(raw);
  const hops = fields.filter(({ name }) => name === "received").length;
  return hops >= maxHops || fields.some(({ name }) => name === relayedField.toLowerCase());
}

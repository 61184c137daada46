import type { CallOptions, Clock, DynamoPort, Logger } from "@tablekeep/core";
import {
  type DecodeCache,
  type Decoder,
  defaultInbox,
  isInboxName,
  type Mail,
  type MailOptions,
  openDecodeCache,
  openMail,
} from "@tablekeep/mail";
import { type Chaos, type ChaosSettings, createChaos } from "@tablekeep/mail/smtp";
import { tokenHash } from "../../auth/secret-files.ts";
import { HttpError } from "../../http/http-route.ts";
import type { InboxDefinition } from "./inbox-definition.ts";
import { type InboxDirectory, inboxDirectory } from "./inbox-directory.ts";
import { inboxQuotas } from "./inbox-quota.ts";

/** An open inbox of this server. */
export interface OpenInbox {
  readonly name: string;
  readonly mail: Mail;
  readonly decoded: DecodeCache;
  readonly chaos: Chaos;
}

/** The named inboxes of a server. */
export interface Inboxes {
  readonly directory: InboxDirectory;
  /** Opens an inbox by its name, whether or not it is defined. */
  open(name: string, call?: CallOptions): Promise<OpenInbox>;
  /** Does the same for one new message. Rejects with `MAIL_STORE_FULL` if the quota is reached. */
  openForMessage(name: string, call?: CallOptions): Promise<Mail>;
  /** Deletes the messages and the settings of an inbox. Returns the number of messages. */
  remove(name: string, call?: CallOptions): Promise<number>;
  /** Whether this is the token of an inbox. */
  checkToken(name: string, token: string, call?: CallOptions): Promise<"none" | "right" | "wrong">;
  /** The fault injection of an open inbox; undefined if there is none. */
  chaosOf(name: string): Chaos | undefined;
  close(): Promise<void>;
}

export interface InboxesOptions {
  readonly port: DynamoPort;
  /** The options of the default inbox. */
  readonly store: MailOptions;
  readonly decoder: Decoder;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The number of inboxes that are kept open. Opening one costs a request. */
const maxOpen = 1_000;

/** The number of decoded messages, of all inboxes, that are kept. */
const maxDecoded = 64;

export function openInboxes(options: InboxesOptions): Inboxes {
  const { port, store, clock, logger } = options;
  const directory = inboxDirectory({
    port,
    clock,
    table: store.table ?? "mail",
    ttlDays: store.ttlDays ?? 7,
  });
  const faults = inboxFaults();
  const quotas = inboxQuotas();
  const stores = openStores(options, directory, faults);
  const background = new Set<Promise<void>>();
  const enter = (name: string) => {
    // A message must not be rejected only because its inbox cannot be listed.
    const entering = directory.enter(name).catch((error: unknown) => {
      logger.warn("could not add an inbox to the list of inboxes", { inbox: name, error });
    });
    background.add(entering);
    void entering.finally(() => background.delete(entering));
  };
  return {
    directory,
    open: stores.open,
    async openForMessage(name, call) {
      const { mail } = await stores.open(name, call);
      const { quota } = (await directory.read(call)).get(name) ?? {};
      const admitted = quota === undefined ? mail : await quotas.admit(name, mail, quota, call);
      enter(name);
      return admitted;
    },
    async remove(name, call) {
      const { mail } = await stores.open(name, call);
      const deleted = await mail.deleteAll(call);
      await directory.remove(name, call);
      faults.delete(name);
      return deleted;
    },
    async checkToken(name, token, call) {
      const hash = (await directory.read(call)).get(name)?.tokenHash;
      if (hash === undefined) return "none";
      return tokenHash(token) === hash ? "right" : "wrong";
    },
    chaosOf(name) {
      const settings = directory.last.get(name)?.chaos;
      // Faults end when they are removed from the settings, unless a request has started them.
      return settings === undefined && faults.get(name) === undefined ? undefined : faults.of(name, settings);
    },
    async close() {
      await Promise.all(background);
      await stores.close();
    },
  };
}

/** The stores of inboxes, each opened once while its settings stay the same. */
function openStores(
  { port, store, decoder, clock }: InboxesOptions,
  directory: InboxDirectory,
  faults: InboxFaults,
) {
  const opened = new Map<string, { readonly settings: string; readonly inbox: Promise<OpenInbox> }>();
  const decoded = openDecodeCache(decoder, { maxMessages: maxDecoded });
  const build = async (definition: InboxDefinition): Promise<OpenInbox> => {
    const { name, ttlDays = store.ttlDays, maxMessages = store.maxMessages } = definition;
    return {
      name,
      mail: await openMail(port, { ...store, clock, inbox: name, ttlDays, maxMessages }),
      // Imported messages may have the same id in several inboxes.
      decoded: { get: (id, ...rest) => decoded.get(`${name}/${id}`, ...rest) },
      chaos: faults.of(name, definition.chaos),
    };
  };
  return {
    async open(name: string, call?: CallOptions): Promise<OpenInbox> {
      if (!isInboxName(name) || name === defaultInbox) throw new HttpError(404, "no such inbox");
      const definition = (await directory.read(call)).get(name) ?? { name, rules: [] };
      const settings = JSON.stringify([definition.ttlDays, definition.maxMessages, definition.chaos]);
      const known = opened.get(name);
      // The least recently used one is dropped first.
      opened.delete(name);
      if (known?.settings === settings) {
        opened.set(name, known);
        return known.inbox;
      }
      const inbox = build(definition);
      inbox.catch(() => {
        if (opened.get(name)?.inbox === inbox) opened.delete(name);
      });
      opened.set(name, { settings, inbox });
      const [oldest] = opened.keys();
      // Requests continue to use it: only a store with watchers must be closed, and these end with their requests.
      if (opened.size > maxOpen && oldest !== undefined) {
        opened.delete(oldest);
        faults.deleteIdle(oldest);
      }
      return inbox;
    },
    async close(): Promise<void> {
      for (const { inbox } of opened.values()) await (await inbox.catch(() => undefined))?.mail.close();
    },
  };
}

/** The fault injection of inboxes. */
interface InboxFaults {
  /** The fault injection of an inbox with these settings. New settings start it again. */
  of(name: string, settings: ChaosSettings | undefined): Chaos;
  get(name: string): Chaos | undefined;
  delete(name: string): void;
  /** Deletes the fault injection of an inbox if it is off. */
  deleteIdle(name: string): void;
}

function inboxFaults(): InboxFaults {
  const known = new Map<string, { readonly settings: string; readonly chaos: Chaos }>();
  return {
    of(name, settings) {
      const key = JSON.stringify(settings ?? null);
      const before = known.get(name);
      if (before?.settings === key) return before.chaos;
      const chaos = createChaos(settings);
      known.set(name, { settings: key, chaos });
      return chaos;
    },
    get: (name) => known.get(name)?.chaos,
    delete: (name) => void known.delete(name),
    deleteIdle(name) {
      if (known.get(name)?.chaos.settings === undefined) known.delete(name);
    },
  };
}

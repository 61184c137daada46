import type { Logger } from "@tablekeep/core";
import {
  createSearchMemory,
  type DecodeCache,
  type Decoder,
  type Mail,
  openDecodeCache,
  openDecoder,
  openMail,
} from "@tablekeep/mail";
import { type Linter, openLinter } from "@tablekeep/mail/lint";
import {
  type Chaos,
  type ChaosSettings,
  createChaos,
  createTranscripts,
  defaultChaosSettings,
  type Transcripts,
} from "@tablekeep/mail/smtp";
import type { Backend } from "../backend/open-backend.ts";
import type { ResolvedServerOptions } from "../options/server-options.ts";
import type { MailConfig } from "../options/store-configs.ts";
import { createReleaser, type Releaser } from "../release/releaser.ts";
import { type RecipientRules, recipientRules } from "../setting-files/recipient-rules.ts";
import { type Inboxes, openInboxes } from "./inboxes/inboxes.ts";
import { routeMessages } from "./inboxes/route-messages.ts";
import { type MailIntake, reportOutcomes } from "./reports/report-outcomes.ts";

/** The mail of a running server. */
export interface ServedMail {
  readonly mail: Mail;
  /** The named inboxes. `mail` is the default one. */
  readonly inboxes: Inboxes;
  /** Stores new messages in their inboxes, and bounces and complaints by rule. */
  readonly intake: MailIntake;
  readonly rules: RecipientRules;
  /** Decodes messages in a worker thread. */
  readonly decoder: Decoder;
  /** The last few messages that the decoder decoded. */
  readonly decoded: DecodeCache;
  /** Checks messages in a worker thread. */
  readonly linter: Linter;
  /** The transcripts of the last SMTP sessions. */
  readonly transcripts: Transcripts;
  readonly chaos: Chaos;
  /** Defaults for omitted settings of chaos. */
  readonly defaultChaos: ChaosSettings;
  readonly releaser: Releaser;
  /** The name of the server in SMTP. */
  readonly hostname: string;
  readonly logger: Logger;
}

export async function openServedMail(
  backend: Backend,
  config: MailConfig,
  { clock, logger }: Pick<ResolvedServerOptions, "clock" | "logger">,
): Promise<ServedMail> {
  // All inboxes share one memory.
  const options = { clock, logger, searchMemory: createSearchMemory(), ...config.store };
  const hostname = options.hostname ?? "mailhog.example";
  const defaultChaos = config.defaultChaos ?? config.chaos ?? defaultChaosSettings;
  const chaos = chaosOf(defaultChaos, config.chaos);
  const decoder = openDecoder();
  const mail = await openMail(backend.port, options);
  const rules = recipientRules(config.recipientRules ?? []);
  const inboxes = openInboxes({ port: backend.port, store: options, decoder, clock, logger });
  const routed = options.layout === "mhdynamo" ? mail : routeMessages(mail, inboxes, config.inboxDomain);
  return {
    mail,
    inboxes,
    intake: reportOutcomes(routed, { rules, hostname, clock, logger }),
    rules,
    decoder,
    decoded: openDecodeCache(decoder),
    linter: openLinter(),
    transcripts: createTranscripts(clock),
    chaos,
    defaultChaos,
    releaser: createReleaser({ relays: config.relays ?? new Map(), hostname, clock }),
    hostname,
    logger,
  };
}

/** Starts it briefly with the default settings, so that invalid ones are rejected now and not on first use. */
function chaosOf(defaults: ChaosSettings, begun: ChaosSettings | undefined): Chaos {
  const chaos = createChaos(defaults);
  if (begun === undefined) chaos.stop();
  else chaos.start(begun);
  return chaos;
}

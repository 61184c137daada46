import {
  type Chaos,
  createChaos,
  createTranscripts,
  type Decoder,
  type Mail,
  mailTableSpec,
  openDecoder,
  openMail,
  type Transcripts,
} from "@tablekeep/mail";
import type { Backend } from "../open-backend.ts";
import { createReleaser, type Releaser } from "../release/releaser.ts";
import type { ResolvedServerOptions } from "../server-options.ts";
import type { MailConfig } from "./mail-config.ts";

/** The mail of a server that runs. */
export interface ServedMail {
  readonly mail: Mail;
  /** Makes messages readable, in a thread of its own. */
  readonly decoder: Decoder;
  /** What was said in the last SMTP sessions. */
  readonly transcripts: Transcripts;
  readonly chaos: Chaos;
  readonly releaser: Releaser;
  /** The name that the server gives itself. */
  readonly hostname: string;
}

export async function openServedMail(
  backend: Backend,
  config: MailConfig,
  { clock, logger }: Pick<ResolvedServerOptions, "clock" | "logger">,
): Promise<ServedMail> {
  const options = { clock, logger, ...config.store };
  const hostname = options.hostname ?? "mailhog.example";
  await backend.prepare(mailTableSpec(options));
  return {
    mail: await openMail(backend.port, options),
    decoder: openDecoder(),
    transcripts: createTranscripts(clock),
    chaos: createChaos(config.chaos),
    releaser: createReleaser({ relays: config.relays ?? new Map(), hostname, clock }),
    hostname,
  };
}

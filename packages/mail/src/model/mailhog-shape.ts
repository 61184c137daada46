/** A message in MailHog's shape, fields in its order. */
export interface MailhogMessage {
  readonly ID: string;
  readonly From: MailhogPath;
  readonly To: readonly MailhogPath[] | null;
  readonly Content: MailhogContent;
  /** RFC 3339. */
  readonly Created: string;
  readonly MIME: MailhogMime | null;
  readonly Raw: {
    readonly From: string;
    readonly To: readonly string[] | null;
    readonly Data: string;
    readonly Helo: string;
  };
}

/** An address as MailHog splits it. */
export interface MailhogPath {
  readonly Relays: readonly string[] | null;
  readonly Mailbox: string;
  readonly Domain: string;
  readonly Params: string;
}

/** A piece of a message in MailHog's shape: undecoded. */
export interface MailhogContent {
  readonly Headers: Readonly<Record<string, readonly string[]>>;
  readonly Body: string;
  /** Bytes. */
  readonly Size: number;
  readonly MIME: MailhogMime | null;
}

/** The parts of a multipart, as MailHog cuts them. */
export interface MailhogMime {
  readonly Parts: readonly MailhogContent[] | null;
}

/** The headers and the undecoded body of a message, as MailHog splits them. */
export interface MailhogText {
  readonly headers: Readonly<Record<string, readonly string[]>>;
  /** In chunks of at most about 64 Ki characters. */
  readonly body: Iterable<string>;
}

/** Format of the JSON. */
export interface MailhogJsonOptions {
  /** Spaces for each level, with every member on its own line. @default 0: everything on one line */
  readonly indent?: number;
  /** Prefix of each line but the first. Only with `indent`. @default "" */
  readonly linePrefix?: string;
}

import {
  type Clock,
  type Logger,
  type OptionCheck,
  type OptionChecks,
  optionCheck,
  type Random,
} from "@tablekeep/core";
import { checkOptions, serverUrl } from "../base/check-options.ts";
import type { CredentialProvider, Credentials } from "../credentials/credentials.ts";
import { defaultDeadlineMs } from "../retry/deadline.ts";
import { defaultMaxAttempts, retryBudgetSize } from "../retry/retry-policy.ts";

/** Options of the HTTP port. Everything has a default. */
export interface HttpPortOptions {
  /** The AWS region that requests are signed for, and whose endpoint is used unless one is given. @default "us-east-1" */
  readonly region?: string;
  /** The URL of any server that speaks DynamoDB's protocol. @default that of AWS in the region */
  readonly endpoint?: string;
  /** The URL of the DynamoDB Streams service. @default AWS's in the region; with `endpoint`, that endpoint */
  readonly streamsEndpoint?: string;
  /** Keys, or a function that fetches them. @default the standard AWS chain */
  readonly credentials?: Credentials | CredentialProvider;
  /** Maximum number of connections to one host; further calls wait for a free one. @default 50 */
  readonly maxConnections?: number;
  /** Maximum number of calls that wait for a free connection to one host; further ones fail with `CLIENT_BUSY`, unsent. @default 10,000 */
  readonly maxWaiting?: number;
  /** Milliseconds after which an attempt to connect fails. @default 3,000 */
  readonly connectTimeoutMs?: number;
  /** Milliseconds without a byte of the response after which a connection is closed. @default 5,000 */
  readonly socketTimeoutMs?: number;
  /** Default deadline of a call in milliseconds, including retries. @default 10,000 */
  readonly deadlineMs?: number;
  /** Maximum number of times that a request is sent. 1 disables retries. @default 10 */
  readonly maxAttempts?: number;
  /** Tokens of the retry budget that all calls share: a retry costs 5, or 10 after a request without a response. 0 disables retries. @default 500 */
  readonly retryBudget?: number;
  /** The URL of an HTTP or HTTPS proxy, with user and password if it requires them. @default none */
  readonly proxy?: string;
  /** Milliseconds that a connection without a request is kept. @default 20,000 */
  readonly keepAliveMs?: number;
  /** Milliseconds after which a connection is replaced, even a busy one once its request is done. @default never */
  readonly connectionLifeMs?: number;
  /** The address of this machine that connections start from. @default the system's choice */
  readonly localAddress?: string;
  /** Appended to the `user-agent` header. @default none */
  readonly userAgentSuffix?: string;
  /** Certificates (PEM) of the authorities to trust instead of the usual ones. @default the usual ones */
  readonly tlsCa?: string | readonly string[];
  /** Accept any certificate. For tests only. @default false */
  readonly tlsInsecure?: boolean;
  /** Verify the checksum that DynamoDB sends with each response. @default true */
  readonly checkCrc?: boolean;
  /** Request compressed responses: less traffic, more CPU. @default false */
  readonly gzip?: boolean;
  /** Logger for throttling, ambiguous writes and non-fatal problems. @default none */
  readonly logger?: Logger;
  /** Log every call at debug level. @default false */
  readonly tracing?: boolean;
  /** Clock for deadlines, waits and signatures. @default the machine's */
  readonly clock?: Clock;
  /** Random source for the jitter of waits. @default the machine's */
  readonly random?: Random;
}

type PlainDefault =
  | "maxConnections"
  | "maxWaiting"
  | "connectTimeoutMs"
  | "socketTimeoutMs"
  | "deadlineMs"
  | "maxAttempts"
  | "retryBudget"
  | "keepAliveMs"
  | "tlsInsecure"
  | "checkCrc"
  | "gzip"
  | "tracing";

/** The defaults that are plain values. */
export const httpPortDefaults: { readonly [Name in PlainDefault]: NonNullable<HttpPortOptions[Name]> } = {
  maxConnections: 50,
  maxWaiting: 10_000,
  connectTimeoutMs: 3_000,
  socketTimeoutMs: 5_000,
  deadlineMs: defaultDeadlineMs,
  maxAttempts: defaultMaxAttempts,
  retryBudget: retryBudgetSize,
  keepAliveMs: 20_000,
  tlsInsecure: false,
  checkCrc: true,
  gzip: false,
  tracing: false,
};

const credentials: OptionCheck = (value) =>
  typeof value === "function" || (typeof value === "object" && value !== null)
    ? undefined
    : "must be { accessKeyId, secretAccessKey } or a function that returns them";

/** Valid characters of a header: a line break could inject another one. */
const headerText: OptionCheck = (value) =>
  typeof value === "string" && /^[\x20-\x7e]+$/.test(value)
    ? undefined
    : "must be a string of printable ASCII";

const certificates: OptionCheck = (value) =>
  [value].flat().length > 0 && [value].flat().every((each) => typeof each === "string" && each !== "")
    ? undefined
    : "must be certificates in PEM format, a string or an array of strings";

/** Region names go into the host name and the signature. */
const region: OptionCheck = optionCheck.fitting(
  "the name of an AWS region such as eu-west-1",
  (value) => typeof value === "string" && /^[a-z0-9-]{1,63}$/i.test(value),
);

export const httpPortOptionChecks: OptionChecks<HttpPortOptions> = {
  region,
  endpoint: serverUrl({ credentials: false }),
  streamsEndpoint: serverUrl({ credentials: false }),
  credentials,
  maxConnections: optionCheck.integer(1),
  maxWaiting: optionCheck.integer(0),
  connectTimeoutMs: optionCheck.milliseconds,
  socketTimeoutMs: optionCheck.milliseconds,
  deadlineMs: optionCheck.milliseconds,
  maxAttempts: optionCheck.integer(1),
  retryBudget: optionCheck.integer(0),
  proxy: serverUrl({ credentials: true }),
  keepAliveMs: optionCheck.milliseconds,
  connectionLifeMs: optionCheck.milliseconds,
  localAddress: optionCheck.nonEmptyString,
  userAgentSuffix: headerText,
  tlsCa: certificates,
  tlsInsecure: optionCheck.boolean,
  checkCrc: optionCheck.boolean,
  gzip: optionCheck.boolean,
  logger: optionCheck.logger,
  tracing: optionCheck.boolean,
  clock: optionCheck.clock,
  random: optionCheck.callback,
};

/** Throws `CLIENT_OPTION_INVALID` for the first unknown or invalid option. */
export function checkHttpPortOptions(options: HttpPortOptions): void {
  checkOptions(options, httpPortOptionChecks);
}

/** The version that all packages share. */
export const version = "0.2.0";

/** Returns the user agent. */
export function userAgent(suffix: string | undefined): string {
  const own = `tablekeep/${version} node/${process.versions.node}`;
  return suffix === undefined ? own : `${own} ${suffix}`;
}

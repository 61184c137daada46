import {
  type CallOptions,
  type Clock,
  type InputOf,
  type OperationName,
  type OutputOf,
  type TablekeepError,
  withDeadline,
} from "@tablekeep/core";
import type { CredentialSource, Credentials } from "../credentials/credentials.ts";
import { callEffect } from "../retry/call-effect.ts";
import { abortedBy } from "../retry/deadline.ts";
import { type RetrySettings, withRetries } from "../retry/with-retries.ts";
import type { Connections } from "./connections.ts";
import { encodeInput } from "./encode-input.ts";
import type { HttpResponse } from "./exchange.ts";
import { readResponse } from "./read-response.ts";
import type { ServerTime } from "./server-time.ts";
import type { Signer } from "./sign-request.ts";
import { cutByDeadline } from "./transport-failure.ts";

/** The shared state of all calls to one service. */
export interface Service {
  readonly clock: Clock;
  readonly retry: RetrySettings;
  readonly connections: Connections;
  readonly sign: Signer;
  /** The service and its version, with a dot at the end. */
  readonly targetPrefix: string;
  /** Headers that are not signed, names and values in turn. */
  readonly plainHeaders: readonly string[];
  readonly credentials: CredentialSource;
  /** Credentials that never change, so there is nothing to wait for. */
  readonly fixedCredentials: Credentials | undefined;
  readonly time: ServerTime;
  /** For messages. */
  readonly endpoint: string;
  readonly checkCrc: boolean;
}

/** Rejections that newer credentials may fix. */
const staleExceptions: ReadonlySet<string> = new Set([
  "ExpiredTokenException",
  "ExpiredToken",
  "UnrecognizedClientException",
  "InvalidClientTokenId",
]);

/** One call: its request, sent once per attempt. */
export class HttpCall<Name extends OperationName> {
  readonly #service: Service;
  readonly #operation: Name;
  readonly #input: InputOf<Name>;
  readonly #options: CallOptions;
  readonly #deadlineMs: number;
  readonly #endsAt: number;
  readonly #body: Buffer;
  readonly #target: string;
  #credentials: Credentials | undefined;
  #serverDate: string | undefined;
  #signedWithMs = 0;
  #corrected = false;
  #refreshed = false;

  constructor(
    service: Service,
    operation: Name,
    input: InputOf<Name>,
    options: CallOptions & { readonly deadlineMs: number },
  ) {
    this.#service = service;
    this.#operation = operation;
    this.#input = input;
    this.#options = options;
    this.#deadlineMs = options.deadlineMs;
    this.#endsAt = service.clock.monotonic() + options.deadlineMs;
    this.#body = encodeInput(input);
    this.#target = service.targetPrefix + operation;
  }

  /** Returns the output, or throws the error of the call. */
  run(): Promise<OutputOf<Name>> {
    const effect = callEffect(this.#operation, this.#input, this.#options);
    return withRetries(
      this.#service.retry,
      {
        effect,
        options: this.#options,
        endsAt: this.#endsAt,
        repair: this.#repair,
      },
      this.#send,
    );
  }

  #send = async (): Promise<OutputOf<Name>> => {
    const service = this.#service;
    const { signal } = this.#options;
    if (signal?.aborted) throw abortedBy(signal);
    if (service.clock.monotonic() >= this.#endsAt) throw cutByDeadline(this.#deadlineMs, "waiting");
    const credentials =
      service.fixedCredentials ?? (await this.#fetch(() => service.credentials.get(signal)));
    // An aborted signal calls no listener that is added later.
    if (signal?.aborted) throw abortedBy(signal);
    this.#credentials = credentials;
    return service.connections.exchange<OutputOf<Name>>({
      body: this.#body,
      headers: () => this.#headers(credentials),
      read: this.#read,
      endsAt: this.#endsAt,
      deadlineMs: this.#deadlineMs,
      signal,
    });
  };

  #read = (response: HttpResponse): OutputOf<Name> | Promise<OutputOf<Name>> => {
    const { endpoint, checkCrc, time } = this.#service;
    this.#serverDate = response.headers.date;
    time.saw(this.#serverDate);
    const request = { operation: this.#operation, input: this.#input, endpoint, checkCrc };
    return readResponse(response, request) as OutputOf<Name> | Promise<OutputOf<Name>>;
  };

  #headers(credentials: Credentials): string[] {
    const service = this.#service;
    const request = { target: this.#target, body: this.#body };
    this.#signedWithMs = service.time.offsetMs;
    const headers = service.sign(request, credentials, service.time.now());
    for (const text of service.plainHeaders) headers.push(text);
    return headers;
  }

  /** Corrects the clock skew and the credentials, each at most once per call. */
  #repair = async (rejection: TablekeepError): Promise<boolean> => {
    const service = this.#service;
    if (!this.#corrected && service.time.learn(rejection, this.#serverDate, this.#signedWithMs)) {
      this.#corrected = true;
      return true;
    }
    const stale = this.#credentials;
    if (this.#refreshed || stale === undefined || !isStale(rejection)) return false;
    this.#refreshed = true;
    const fresh = await this.#fetch(() => service.credentials.refresh(stale, this.#options.signal));
    return fresh.accessKeyId !== stale.accessKeyId || fresh.sessionToken !== stale.sessionToken;
  };

  #fetch(credentials: () => Promise<Credentials>): Promise<Credentials> {
    const { clock } = this.#service;
    return withDeadline(credentials, {
      clock,
      ms: Math.max(1, this.#endsAt - clock.monotonic()),
      signal: this.#options.signal,
      timedOut: () => cutByDeadline(this.#deadlineMs, "credentials"),
      aborted: (signal) => abortedBy(signal),
    });
  }
}

function isStale(rejection: TablekeepError): boolean {
  return "exception" in rejection.details && staleExceptions.has(rejection.details.exception as string);
}

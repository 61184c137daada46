/** How long and how many: what keeps slow or countless clients from wearing a listener out. */
export interface HttpLimits {
  /** Milliseconds for the headers of a request; a client that is slower is cut off. */
  readonly headersTimeoutMs: number;
  /** Milliseconds for a whole request. */
  readonly requestTimeoutMs: number;
  /** How often the two times above are looked at, in milliseconds. */
  readonly checkEveryMs: number;
  /** Milliseconds that a connection without a request is kept. */
  readonly keepAliveMs: number;
  /** Connections at the same time; one more is closed at once. */
  readonly connections: number;
}

export const defaultHttpLimits: HttpLimits = {
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 60_000,
  checkEveryMs: 5_000,
  keepAliveMs: 5_000,
  connections: 1_000,
};

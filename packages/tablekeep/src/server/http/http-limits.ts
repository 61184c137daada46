/** How long and how many: what keeps slow or countless clients from wearing a listener out. */
export interface HttpLimits {
  /** Milliseconds for the headers of a request; a client that is slower is cut off. */
  readonly headersTimeoutMs: number;
  /** Milliseconds for a whole request. */
  readonly requestTimeoutMs: number;
  /** How often the two times above are looked at, in milliseconds. */
  readonly checkEveryMs: number;
  /**
   * Milliseconds that a connection without a request is kept. SDKs keep connections for a minute or two (Go 90 seconds,
   * Java and .NET 60) and use them again without asking. A connection that ends at the same moment costs a request, and
   * for a write leaves doubt: so they end it, never we.
   */
  readonly keepAliveMs: number;
  /** Connections at the same time; one more is closed at once. */
  readonly connections: number;
}

export const defaultHttpLimits: HttpLimits = {
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 60_000,
  checkEveryMs: 5_000,
  keepAliveMs: 5 * 60_000,
  connections: 1_000,
};

/** How a payload or a state came: bytes are base64, `unknown` is what no codec of the server reads. */
export type PayloadForm = "json" | "bytes" | "unknown";

/** An event as the server shows it. */
export interface ShownEvent {
  readonly id: string;
  readonly persistenceId: string;
  readonly sequenceNr: number;
  readonly payload: unknown;
  readonly payloadForm: PayloadForm;
  /** Why the payload is no longer available; the payload is then null. */
  readonly gone?: "forgotten" | "expired";
  readonly serializerId: number;
  readonly manifest: string;
  readonly writerUuid: string;
  /** Milliseconds since 1970; 0 where it is not known. */
  readonly timestamp: number;
  readonly tags: readonly string[];
  readonly correlationId?: string;
  readonly causationId?: string;
  readonly metadata?: unknown;
}

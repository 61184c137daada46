import type { Clock } from "@tablekeep/core";

/** Where an engine keeps its data. */
export type StorageChoice =
  | { readonly kind: "memory" }
  | {
      readonly kind: "folder";
      /** The folder; it is made if it is not there. */
      readonly path: string;
      /** Whether a write is on the disk before it is acknowledged. Off, a power cut may lose the last writes. @default true */
      readonly durable?: boolean | undefined;
    };

export interface EngineOptions {
  readonly storage: StorageChoice;
  /** The time by which items expire and tokens are forgotten. @default the machine's */
  readonly clock?: Clock | undefined;
  /** The region in ARNs. @default "us-east-1" */
  readonly region?: string | undefined;
  /** The account in ARNs. @default "000000000000" */
  readonly accountId?: string | undefined;
}

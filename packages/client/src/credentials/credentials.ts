import type { Clock, Logger } from "@tablekeep/core";
import { checkCredentials } from "./check-credentials.ts";
import { refreshingSource } from "./refreshing-source.ts";
import { standardChain } from "./standard-chain.ts";

/** What a request is signed with. The shape is that of the AWS SDK. */
export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Comes with temporary credentials. */
  readonly sessionToken?: string | undefined;
  /** When temporary credentials end. @default never */
  readonly expiration?: Date | undefined;
}

/**
 * Fetches credentials. Every provider of `@aws-sdk/credential-providers` is one. Called when there are none yet and when
 * they need renewal, never twice at a time; with `forceRefresh` it must not answer from a cache.
 */
export type CredentialProvider = (request?: { readonly forceRefresh?: boolean }) => Promise<Credentials>;

/** Where the signer of one port gets its credentials from. */
export interface CredentialSource {
  /** Valid credentials: at once, unless the first ones must be fetched or the last ones have expired. */
  get(signal?: AbortSignal): Promise<Credentials>;
  /** Newer credentials than `stale`, which the service has refused. Fetches only if nobody else did meanwhile. */
  refresh(stale: Credentials, signal?: AbortSignal): Promise<Credentials>;
}

/** What {@link credentialSource} needs beside the credentials. */
export interface CredentialSourceOptions {
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * The source for what the user gave: fixed credentials, a provider, or nothing, which means the standard AWS chain
 * (environment, shared files, SSO, web identity, container, instance), loaded from `@aws-sdk/credential-providers` when
 * first used. Fixed credentials are checked here and throw `CLIENT_OPTION_INVALID`.
 */
export function credentialSource(
  given: Credentials | CredentialProvider | undefined,
  options: CredentialSourceOptions,
): CredentialSource {
  if (given === undefined) return refreshingSource("the standard AWS chain", standardChain(), options);
  if (typeof given === "function") return refreshingSource("the given provider", given, options);
  const fixed = checkCredentials(given, "credentials");
  return { get: async () => fixed, refresh: async () => fixed };
}

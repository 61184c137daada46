import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { ClientError, packageMissing } from "../base/client-error.ts";
import type { CredentialProvider, Credentials } from "./credentials.ts";

/**
 * Creates the provider of the standard AWS chain. Its first link, keys in environment variables, is read here, because Lambda
 * passes keys that way. The package behind the other links is loaded by the first call that needs it.
 */
export function standardChain(): CredentialProvider {
  let chain: CredentialProvider | undefined;
  return async (request) => {
    const keys = keysIn(process.env);
    if (keys !== undefined) return keys;
    chain ??= await loadChain();
    try {
      return await chain(request);
    } catch (error) {
      const tried = configuredSources(process.env);
      if (tried.length > 0) throw error;
      throw new ClientError(
        "CLIENT_CREDENTIALS_MISSING",
        "no AWS credentials found: pass `credentials`, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE",
        { tried: everySource },
        { cause: error },
      );
    }
  };
}

/** Like the chain itself: a named profile takes precedence over the keys. */
function keysIn(env: NodeJS.ProcessEnv): Credentials | undefined {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_PROFILE } = env;
  if (!accessKeyId || !secretAccessKey || AWS_PROFILE) return undefined;
  const { AWS_SESSION_TOKEN: sessionToken, AWS_CREDENTIAL_EXPIRATION: expiration } = env;
  return {
    accessKeyId,
    secretAccessKey,
    ...(sessionToken && { sessionToken }),
    ...(expiration && { expiration: new Date(expiration) }),
  };
}

async function loadChain(): Promise<CredentialProvider> {
  const name = "@aws-sdk/credential-providers";
  const providers = await import("@aws-sdk/credential-providers").catch(packageMissing(name));
  return providers.fromNodeProviderChain();
}

const everySource = ["environment", "shared files", "web identity", "container", "instance metadata"];

/** Returns the configured sources of credentials. If there are any, the error reports their failure, not their absence. */
function configuredSources(env: NodeJS.ProcessEnv): string[] {
  const found = settings.filter((name) => env[name]);
  const files = [
    env["AWS_SHARED_CREDENTIALS_FILE"] ?? join(homedir(), ".aws", "credentials"),
    env["AWS_CONFIG_FILE"] ?? join(homedir(), ".aws", "config"),
  ];
  return [...found, ...files.filter((file) => existsSync(file))];
}

const settings = [
  "AWS_ACCESS_KEY_ID",
  "AWS_PROFILE",
  "AWS_WEB_IDENTITY_TOKEN_FILE",
  "AWS_CONTAINER_CREDENTIALS_FULL_URI",
  "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
  "AWS_EC2_METADATA_SERVICE_ENDPOINT",
];

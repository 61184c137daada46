import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { ClientError } from "../client-error.ts";
import { loadPackage } from "../load-package.ts";
import type { CredentialProvider } from "./credentials.ts";

/** The standard AWS chain. The package behind it is loaded with the first call. */
export function standardChain(): CredentialProvider {
  let chain: CredentialProvider | undefined;
  return async (request) => {
    chain ??= await loadChain();
    try {
      return await chain(request);
    } catch (error) {
      const tried = configuredSources(process.env);
      if (tried.length > 0) throw error;
      throw new ClientError(
        "CLIENT_CREDENTIALS_MISSING",
        "no AWS credentials found: give `credentials`, set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE",
        { tried: everySource },
        { cause: error },
      );
    }
  };
}

async function loadChain(): Promise<CredentialProvider> {
  const providers = await loadPackage(
    "@aws-sdk/credential-providers",
    () => import("@aws-sdk/credential-providers"),
  );
  return providers.fromNodeProviderChain();
}

const everySource = ["environment", "shared files", "web identity", "container", "instance metadata"];

/** What on this machine was meant to give credentials. If there is anything, its failure is the news, not its absence. */
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

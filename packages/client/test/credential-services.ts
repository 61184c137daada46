import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Clock } from "@tablekeep/core";

/** A double of the two services that hand out temporary credentials on AWS: of containers, and of instances. */
export interface CredentialServices extends AsyncDisposable {
  /** The variables that lead the standard chain to the container endpoint, and to nothing else on this machine. */
  readonly containerEnv: Record<string, string>;
  /** The same for the instance metadata service, version 2. */
  readonly instanceEnv: Record<string, string>;
  /** The access keys handed out so far, `KEY1`, `KEY2`…, and when. */
  readonly issuedAt: ReadonlyMap<string, number>;
}

/** Starts the double. Credentials end `lifetimeMs` after they were handed out, by `clock`. */
export async function startCredentialServices(clock: Clock, lifetimeMs: number): Promise<CredentialServices> {
  const issuedAt = new Map<string, number>();
  const credentials = () => {
    const issued = issuedAt.size + 1;
    issuedAt.set(`KEY${issued}`, clock.now());
    return {
      Code: "Success",
      Type: "AWS-HMAC",
      AccessKeyId: `KEY${issued}`,
      SecretAccessKey: `secret-of-key-${issued}`,
      Token: `token-of-key-${issued}`,
      Expiration: new Date(clock.now() + lifetimeMs).toISOString(),
    };
  };
  const server = createServer((request, response) => answer(request, response, credentials));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const nothingElse = {
    AWS_ACCESS_KEY_ID: "",
    AWS_SECRET_ACCESS_KEY: "",
    AWS_PROFILE: "",
    AWS_SHARED_CREDENTIALS_FILE: "/nonexistent/credentials",
    AWS_CONFIG_FILE: "/nonexistent/config",
    AWS_CONTAINER_CREDENTIALS_FULL_URI: "",
    AWS_EC2_METADATA_SERVICE_ENDPOINT: "",
  };
  return {
    containerEnv: { ...nothingElse, AWS_CONTAINER_CREDENTIALS_FULL_URI: `${url}/container` },
    instanceEnv: { ...nothingElse, AWS_EC2_METADATA_SERVICE_ENDPOINT: url },
    issuedAt,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const rolePath = "/latest/meta-data/iam/security-credentials/";

function answer(request: IncomingMessage, response: ServerResponse, credentials: () => object): void {
  const route = `${request.method} ${request.url}`;
  if (route === "GET /container") {
    response.end(JSON.stringify(credentials()));
    return;
  }
  if (route === "PUT /latest/api/token") {
    response.setHeader("x-aws-ec2-metadata-token-ttl-seconds", "21600").end("session");
    return;
  }
  if (request.headers["x-aws-ec2-metadata-token"] !== "session") {
    response.writeHead(401).end();
    return;
  }
  if (route === `GET ${rolePath}`) response.end("the-role");
  else if (route === `GET ${rolePath}the-role`) response.end(JSON.stringify(credentials()));
  else response.writeHead(404).end();
}

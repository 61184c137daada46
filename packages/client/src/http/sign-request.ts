import { createHmac, createSecretKey, hash, type KeyObject } from "node:crypto";
import type { Credentials } from "../credentials/credentials.ts";

/** The signed parts of a request besides the body. */
export interface SignableRequest {
  /** Service version and operation, e.g. `DynamoDB_20120810.GetItem`. */
  readonly target: string;
  readonly body: Uint8Array;
}

/** Returns the headers of a request, names and values in turn. */
export type Signer = (request: SignableRequest, credentials: Credentials, nowMs: number) => string[];

/** Where requests go, as far as the signature covers it. */
export interface SigningScope {
  /** The value of the `host` header: the host, and the port unless it is the default of the scheme. */
  readonly host: string;
  /** Path of the URL, as it is sent. */
  readonly path: string;
  readonly region: string;
}

const algorithm = "AWS4-HMAC-SHA256";
const contentType = "application/x-amz-json-1.0";

/**
 * Signs by AWS Signature Version 4. The key depends on the day, the region and the credentials alone: the last one is
 * kept, so that a signature costs two hashes and one HMAC.
 */
export function createSigner({ host, path, region }: SigningScope): Signer {
  const head = `POST\n${canonicalPath(path)}\n\ncontent-type:${contentType}\nhost:${host}\nx-amz-date:`;
  const stamp = createStamp();
  const signingKey = createSigningKey(region);

  return ({ target, body }, credentials, nowMs) => {
    const time = stamp(nowMs);
    const date = time.slice(0, 8);
    const token = credentials.sessionToken;
    const signed = token
      ? "content-type;host;x-amz-date;x-amz-security-token;x-amz-target"
      : "content-type;host;x-amz-date;x-amz-target";
    const tokenLine = token ? `x-amz-security-token:${canonicalValue(token)}\n` : "";
    const bodyHash = hash("sha256", body, "hex");
    const canonical = `${head}${time}\n${tokenLine}x-amz-target:${target}\n\n${signed}\n${bodyHash}`;
    const scope = `${date}/${region}/dynamodb/aws4_request`;
    const toSign = `${algorithm}\n${time}\n${scope}\n${hash("sha256", canonical, "hex")}`;
    const signature = createHmac("sha256", signingKey(credentials, date)).update(toSign).digest("hex");
    const authorization = `${algorithm} Credential=${credentials.accessKeyId}/${scope}, SignedHeaders=${signed}, Signature=${signature}`;
    const headers = [
      "content-type",
      contentType,
      "x-amz-date",
      time,
      "x-amz-target",
      target,
      "authorization",
      authorization,
    ];
    if (token) headers.push("x-amz-security-token", token);
    return headers;
  };
}

/** The signing key of a day; the last one is remembered. */
function createSigningKey(region: string): (credentials: Credentials, date: string) => KeyObject {
  let secret: string | undefined;
  let day = "";
  let key: KeyObject | undefined;
  return (credentials, date) => {
    if (key === undefined || credentials.secretAccessKey !== secret || date !== day) {
      const steps = [date, region, "dynamodb", "aws4_request"];
      const bytes = steps.reduce<Buffer>(
        (parent, step) => createHmac("sha256", parent).update(step).digest(),
        Buffer.from(`AWS4${credentials.secretAccessKey}`),
      );
      // Node 24 makes one of bytes for every HMAC, which takes longer than the HMAC itself.
      key = createSecretKey(bytes);
      secret = credentials.secretAccessKey;
      day = date;
    }
    return key;
  };
}

/** `20260131T235959Z`; the text of the current second is remembered. */
function createStamp(): (nowMs: number) => string {
  let second = Number.NaN;
  let text = "";
  return (nowMs) => {
    const now = Math.floor(nowMs / 1000);
    if (now !== second) {
      second = now;
      text = `${new Date(now * 1000).toISOString().slice(0, 19).replace(/[-:]/g, "")}Z`;
    }
    return text;
  };
}

/** The path with every byte encoded once more, as the signature of every service but S3 requires. */
function canonicalPath(path: string): string {
  return path
    .split("/")
    .map((segment) =>
      encodeURIComponent(segment).replace(
        /[!'()*]/g,
        (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
      ),
    )
    .join("/");
}

function canonicalValue(value: string): string {
  return value.trim().replace(/\s+/g, " ");
}

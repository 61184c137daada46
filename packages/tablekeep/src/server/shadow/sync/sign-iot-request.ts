import { createHash, createHmac } from "node:crypto";
import type { Credentials } from "@tablekeep/client";

/** A request to AWS IoT's data plane. */
export interface IotRequest {
  readonly method: "GET" | "POST" | "DELETE";
  /** Path and query are sent and signed exactly like this. */
  readonly url: URL;
  readonly body: string;
}

const algorithm = "AWS4-HMAC-SHA256";

/** Returns the headers that sign a request by Signature Version 4, for the service `iotdata`. */
export function signedHeaders(
  { method, url, body }: IotRequest,
  { accessKeyId, secretAccessKey, sessionToken }: Credentials,
  region: string,
  nowMs: number,
): Record<string, string> {
  const time = `${new Date(nowMs).toISOString().slice(0, 19).replace(/[-:]/g, "")}Z`;
  const token: Record<string, string> = sessionToken ? { "x-amz-security-token": sessionToken } : {};
  const headers = { host: url.host, "x-amz-date": time, ...token };
  const names = Object.keys(headers).join(";");
  const lines = Object.entries(headers).map(([name, value]) => `${name}:${value.trim()}\n`);
  const path = url.pathname.split("/").map(encoded).join("/");
  const query = url.search.slice(1).split("&").toSorted().join("&");
  const canonical = [method, path, query, lines.join(""), names, sha256(body)].join("\n");
  const scope = [time.slice(0, 8), region, "iotdata", "aws4_request"];
  const toSign = [algorithm, time, scope.join("/"), sha256(canonical)].join("\n");
  const key = scope.reduce<string | Buffer>((parent, part) => hmac(parent, part), `AWS4${secretAccessKey}`);
  const signature = hmac(key, toSign).toString("hex");
  return {
    ...token,
    "x-amz-date": time,
    authorization: `${algorithm} Credential=${accessKeyId}/${scope.join("/")}, SignedHeaders=${names}, Signature=${signature}`,
  };
}

/** Every byte of a path is encoded once more, as for every service but S3. */
function encoded(segment: string): string {
  return encodeURIComponent(segment).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}

import type { CredentialSource } from "@tablekeep/client";
import { type Clock, linkSignals } from "@tablekeep/core";
import {
  type CloudShadow,
  type CloudShadows,
  type DocumentMetadata,
  type DocumentObject,
  type DocumentValue,
  parseJson,
  printJson,
  type ShadowCallOptions,
  ShadowError,
  type ShadowId,
} from "@tablekeep/shadow";
import { type IotRequest, signedHeaders } from "./sign-iot-request.ts";

/** The connection to AWS IoT's data plane. */
export interface IotCloudOptions {
  readonly endpoint: string;
  readonly region: string;
  readonly credentials: CredentialSource;
  readonly clock: Clock;
}

/** Milliseconds for one request, unless its call has less. */
const requestMs = 10_000;
/** AWS: a state has at most 30 KB; with its metadata it is a few times that. */
const maxAnswerBytes = 4 * 1024 * 1024;
const maxPages = 100;

/** The region in the name of AWS's endpoint; AWS's default region for any other host. */
export function regionOf(endpoint: string): string {
  return (
    /\.iot(?:-fips)?\.([a-z0-9-]+)\.amazonaws\.com(?:\.cn)?$/.exec(new URL(endpoint).hostname)?.[1] ??
    "us-east-1"
  );
}

/** The shadows of AWS IoT Core, or of any server with its data plane, over HTTP. */
export function iotCloud(options: IotCloudOptions): CloudShadows {
  const origin = new URL(options.endpoint);
  const send = (method: IotRequest["method"], path: string, call: ShadowCallOptions, body = "") =>
    exchange({ method, url: new URL(path, origin), body }, options, call);
  return {
    name: origin.host,
    async get(shadow, call) {
      const answer = await send("GET", pathOf(shadow), call);
      if (isMissing(answer)) return undefined;
      return shadowOf(documentOf(answer));
    },
    async update(shadow, patch, version, call) {
      const request: DocumentObject = {
        state: {
          ...(patch.desired && { desired: patch.desired }),
          ...(patch.reported && { reported: patch.reported }),
        },
        ...(version !== undefined && { version }),
      };
      const answer = await send("POST", pathOf(shadow), call, printJson(request));
      if (answer.status === 409) return undefined;
      return Number(documentOf(answer)["version"]);
    },
    async delete(shadow, call) {
      const answer = await send("DELETE", pathOf(shadow), call);
      if (!isMissing(answer)) documentOf(answer);
    },
    async names(thing, call) {
      const names: string[] = [];
      let token: string | undefined;
      for (let page = 0; page < maxPages; page++) {
        const next = token === undefined ? "" : `nextToken=${encodeURIComponent(token)}&`;
        const path = `/api/things/shadow/ListNamedShadowsForThing/${encodeURIComponent(thing)}?${next}pageSize=100`;
        const answer = await send("GET", path, call);
        if (isMissing(answer)) return names;
        const { results = [], nextToken } = documentOf(answer);
        names.push(...(results as string[]));
        if (typeof nextToken !== "string") return names;
        token = nextToken;
      }
      return names;
    },
  };
}

function pathOf({ id, name }: ShadowId): string {
  const query = name === "" ? "" : `?name=${encodeURIComponent(name)}`;
  return `/things/${encodeURIComponent(id)}/shadow${query}`;
}

interface Answer {
  readonly status: number;
  /** The exception of an error. */
  readonly exception: string;
  readonly text: string;
}

/** Sends a request. Throws if there is no response, or one that asks to retry later. */
async function exchange(
  request: IotRequest,
  { credentials, region, clock }: IotCloudOptions,
  { signal, deadlineMs = requestMs }: ShadowCallOptions,
): Promise<Answer> {
  const ended = linkSignals(signal);
  const cancel = clock.after(Math.min(deadlineMs, requestMs), () =>
    ended.abort(new Error("no response in time")),
  );
  try {
    const keys = await credentials.get(ended.signal);
    const headers = signedHeaders(request, keys, region, clock.now());
    const { method, url, body } = request;
    const response = await fetch(url, {
      method,
      headers: { ...headers, ...(body !== "" && { "content-type": "application/json" }) },
      ...(body !== "" && { body }),
      redirect: "manual",
      signal: ended.signal,
    });
    const text = await textOf(response);
    const answer = { status: response.status, exception: exceptionOf(response, text), text };
    if (answer.status === 429 || answer.status >= 500)
      throw unavailable(url, answer.status, messageOf(answer));
    if (answer.status === 403) await credentials.refresh(keys, ended.signal).catch(() => undefined);
    return answer;
  } catch (error) {
    signal?.throwIfAborted();
    throw error instanceof ShadowError || !isTransport(error)
      ? error
      : unavailable(request.url, undefined, reasonOf(error), error);
  } finally {
    cancel();
    ended.release();
  }
}

/** The name of the exception. AWS's services send it in a header or in the body, some with a namespace before and a URL after it. */
function exceptionOf(response: Response, text: string): string {
  if (response.ok) return "";
  const { code, __type: type } = errorIn(text);
  const name = [response.headers.get("x-amzn-errortype"), code, type].find(
    (each) => typeof each === "string",
  );
  return String(name ?? "")
    .replace(/[:,].*$/, "")
    .replace(/^.*#/, "");
}

function errorIn(text: string): Readonly<Record<string, unknown>> {
  try {
    return (JSON.parse(text) ?? {}) as Record<string, unknown>;
  } catch {
    return {};
  }
}

/** Errors of fetch and of the timer; those of the credentials are reported as they are. */
function isTransport(error: unknown): boolean {
  return error instanceof TypeError || (error instanceof Error && !("code" in error && "kind" in error));
}

function reasonOf(error: unknown): string {
  // The message of fetch's error is generic; that of its cause is not.
  const { message, cause } = error as Error & { readonly cause?: NodeJS.ErrnoException };
  return cause?.code ?? cause?.message ?? message;
}

async function textOf(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    length += part.length;
    if (length > maxAnswerBytes) throw new Error("the response is too long");
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

function unavailable(url: URL, status: number | undefined, reason: string, cause?: unknown): ShadowError {
  const answered = status === undefined ? reason : `it responded with ${status}: ${reason}`;
  return new ShadowError(
    "SHADOW_CLOUD_UNAVAILABLE",
    `shadows of ${url.host} are unavailable: ${answered}`,
    { status, reason },
    { cause, ambiguous: true },
  );
}

/** Whether AWS's data plane reports that there is no shadow. Any other 404 comes from another server, such as a proxy. */
function isMissing({ status, exception }: Answer): boolean {
  return status === 404 && exception === "ResourceNotFoundException";
}

/** The document of a response. Throws for an error that the same request would get again. */
function documentOf(answer: Answer): DocumentObject {
  const { status, exception, text } = answer;
  if (status === 200) return parseJson(text) as DocumentObject;
  const reason = messageOf(answer);
  const advice = status === 401 || status === 403 ? "check the credentials and their permissions: " : "";
  throw new ShadowError(
    "SHADOW_CLOUD_REJECTED",
    `the cloud responded with ${status} ${exception}: ${advice}${reason}`,
    { status, reason },
  );
}

function messageOf({ text }: Answer): string {
  const { message } = errorIn(text);
  return typeof message === "string" ? message.slice(0, 200) : "no message";
}

function shadowOf(document: DocumentObject): CloudShadow {
  const { desired, reported } = (document["state"] ?? {}) as Record<string, DocumentObject | undefined>;
  const { desired: wanted, reported: known } = (document["metadata"] ?? {}) as Record<
    string,
    DocumentObject | undefined
  >;
  return {
    version: Number(document["version"]),
    state: { ...(desired && { desired }), ...(reported && { reported }) },
    times: {
      ...(wanted && { desired: timesOf(wanted) as Record<string, DocumentMetadata> }),
      ...(known && { reported: timesOf(known) as Record<string, DocumentMetadata> }),
    },
  };
}

/** AWS's metadata has `{"timestamp": seconds}` for a value; for a key named timestamp it has an object there. */
function timesOf(metadata: DocumentValue): DocumentMetadata {
  if (Array.isArray(metadata)) return metadata.map((each: DocumentValue) => timesOf(each));
  if (typeof metadata !== "object" || metadata === null) return 0;
  const { timestamp } = metadata as DocumentObject;
  if (typeof timestamp === "number") return timestamp;
  return Object.fromEntries(
    Object.entries(metadata as DocumentObject).map(([key, each]) => [key, timesOf(each)]),
  );
}

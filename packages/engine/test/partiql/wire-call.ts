import { isDynamoError } from "@tablekeep/core";
import { answerJson, type Engine } from "@tablekeep/engine";

/** A DynamoDB's response on the wire: its JSON, or the name and message of its error. */
export type WireAnswer =
  | { readonly kind: "answer"; readonly answer: Record<string, unknown> }
  | { readonly kind: "rejection"; readonly exception: string; readonly message: string };

export type WireCall = (operation: string, input: object) => Promise<WireAnswer>;

/** Calls an engine, with answers as on the wire. */
export function engineCall(engine: Engine): WireCall {
  return async (operation, input) => {
    try {
      const answer = answerJson(await engine.execute(operation, input));
      return { kind: "answer", answer: JSON.parse(answer) as Record<string, unknown> };
    } catch (error) {
      if (!isDynamoError(error)) throw error;
      const { exception, serviceMessage } = error.details;
      return { kind: "rejection", exception, message: serviceMessage };
    }
  };
}

/** Calls DynamoDB Local, which reads from a signature only the region and the key id. */
export function localCall(endpoint: string): WireCall {
  const headers = {
    "content-type": "application/x-amz-json-1.0",
    "x-amz-date": "20260101T000000Z",
    authorization:
      "AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0",
  };
  return async (operation, input) => {
    const response = await fetch(endpoint, {
      method: "POST",
      headers: { ...headers, "x-amz-target": `DynamoDB_20120810.${operation}` },
      body: JSON.stringify(input),
    });
    const answer = (await response.json()) as Record<string, unknown>;
    if (response.ok) return { kind: "answer", answer };
    const exception = String(answer["__type"]).replace(/^.*#/, "");
    return { kind: "rejection", exception, message: String(answer["Message"] ?? answer["message"]) };
  };
}

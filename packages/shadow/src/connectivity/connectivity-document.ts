import type { DocumentObject } from "../document/document-value.ts";
import type { Connectivity } from "./connectivity.ts";

/** Connectivity as queries and JSON have it: times in ISO 8601, which are ordered as strings. */
export function connectivityDocument(connectivity: Connectivity): DocumentObject {
  const { connected, connectedAt, disconnectedAt, reason, willPublished, version } = connectivity;
  return {
    connected,
    connectedAt: new Date(connectedAt).toISOString(),
    ...(disconnectedAt !== undefined && { disconnectedAt: new Date(disconnectedAt).toISOString() }),
    ...(reason !== undefined && { reason }),
    ...(willPublished !== undefined && { willPublished }),
    version,
  };
}

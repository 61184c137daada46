import type { MailQuery, MailSearch } from "@tablekeep/mail";
import { HttpError } from "../../http/http-route.ts";
import { queryParameter, text } from "../../http/openapi.ts";

type SearchKind = MailSearch["kind"] | "query";

const kinds: readonly SearchKind[] = ["query", "from", "to", "containing", "text", "sender", "recipient"];

/** The search of the query string; undefined if it has none. */
export function parseSearch(query: URLSearchParams): MailSearch | MailQuery | undefined {
  const wanted = query.get("query") ?? "";
  const requested = query.get("kind");
  if (wanted === "" && requested === null) return undefined;
  const kind = kinds.find((each) => each === (requested ?? "text"));
  if (kind === undefined) throw new HttpError(400, `kind must be one of ${kinds.join(", ")}`);
  if (wanted === "") throw new HttpError(400, "query must not be empty");
  return kind === "query" ? { query: wanted } : { kind, query: wanted };
}

export const kindParameter: object = queryParameter(
  "kind",
  "What to search; query is Mailpit's search grammar.",
  {
    enum: kinds,
    default: "text",
  },
);
export const searchParameter: object = queryParameter(
  "query",
  "The string to search for, ignoring case.",
  text,
);

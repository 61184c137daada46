import type { MailSearch } from "@tablekeep/mail";
import { HttpRefusal } from "../../http/http-refusal.ts";

const kinds: readonly MailSearch["kind"][] = ["from", "to", "containing", "text", "sender", "recipient"];

/** What the query string looks for; undefined if it looks for nothing. */
export function askedSearch(query: URLSearchParams): MailSearch | undefined {
  const wanted = query.get("query") ?? "";
  const given = query.get("kind");
  if (wanted === "" && given === null) return undefined;
  const kind = kinds.find((each) => each === (given ?? "text"));
  if (kind === undefined) throw new HttpRefusal(400, `kind must be one of ${kinds.join(", ")}`);
  if (wanted === "") throw new HttpRefusal(400, "query must not be empty");
  return { kind, query: wanted };
}

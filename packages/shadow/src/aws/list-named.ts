import { isTablekeepError } from "@tablekeep/core";
import type { ShadowCallOptions } from "../model/call-options.ts";
import type { RowKind } from "../model/shadow-error.ts";
import type { Shadows } from "../store/shadows.ts";
import { requestInvalid } from "./aws-names.ts";

/** One page of names. */
export interface NamedPage {
  readonly names: readonly string[];
  readonly token?: string;
}

/** Options of a list of names. */
export interface NamedOptions extends ShadowCallOptions {
  /** 1 to 100. @default 25 */
  readonly pageSize?: number;
  readonly token?: string;
}

/** The kinds of items that have the names, in the order in which they are listed. */
const kinds: Readonly<Record<Shadows["model"], readonly RowKind[]>> = {
  combined: ["combined"],
  separate: ["desired", "reported"],
};

/** The names of a thing's shadows, without the classic one. */
export async function listNamed(
  shadows: Shadows,
  id: string,
  options: NamedOptions = {},
): Promise<NamedPage> {
  const { pageSize = 25, token, ...call } = options;
  const names: string[] = [];
  let place = placeOf(token, shadows.model);
  while (place !== undefined && names.length < pageSize) {
    const limit = pageSize - names.length;
    const page = await shadows
      .list({ ...call, id, kind: place.kind, limit, token: place.token })
      .catch(badToken);
    const found = page.rows.map(({ name }) => name).filter((name) => name !== "");
    // A name with a desired half was listed with it.
    const known = place.kind === "reported" ? await withDesired(shadows, id, found, call) : new Set<string>();
    names.push(...found.filter((name) => !known.has(name)));
    place = nextPlace(place.kind, page.token, shadows.model);
  }
  return { names, ...(place !== undefined && { token: tokenOf(place) }) };
}

interface Place {
  readonly kind: RowKind;
  readonly token?: string;
}

function placeOf(token: string | undefined, model: Shadows["model"]): Place | undefined {
  if (token === undefined) return nextPlace(undefined, undefined, model);
  const [kind, rest] = [kinds[model].find((each) => token.startsWith(`${each}.`)), token.split(".")[1]];
  if (kind === undefined || rest === undefined) throw requestInvalid("Invalid nextToken");
  return { kind, ...(rest !== "" && { token: rest }) };
}

function nextPlace(
  kind: RowKind | undefined,
  token: string | undefined,
  model: Shadows["model"],
): Place | undefined {
  if (kind !== undefined && token !== undefined) return { kind, token };
  const next = kinds[model][kind === undefined ? 0 : kinds[model].indexOf(kind) + 1];
  return next === undefined ? undefined : { kind: next };
}

function tokenOf({ kind, token = "" }: Place): string {
  return `${kind}.${token}`;
}

async function withDesired(
  shadows: Shadows,
  id: string,
  names: readonly string[],
  call: ShadowCallOptions,
): Promise<ReadonlySet<string>> {
  const reads = names.map((name) => ({ id, name, model: "separate" as const, half: "desired" as const }));
  const results = await shadows.read(reads, call);
  return new Set(results.filter(({ outcome }) => outcome.kind === "ok").map(({ name }) => name));
}

function badToken(error: unknown): never {
  if (isTablekeepError(error, "CLIENT_OPTION_INVALID")) throw requestInvalid("Invalid nextToken");
  throw error;
}

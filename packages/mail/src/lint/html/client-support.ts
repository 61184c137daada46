import { supportClients, supportLines } from "./client-support-data.ts";

/** Families of clients that are checked by default: nearly all readers use one of them. */
export const usualClients: readonly string[] = ["apple-mail", "gmail", "outlook", "yahoo"];

/** A client that is no longer maintained, and is checked only if it is named. */
const retired: ReadonlySet<string> = new Set(["outlook/windows-mail"]);

/** Whether clients support a feature. */
export interface FeatureSupport {
  /** The name of the feature. */
  readonly title: string;
  /** The names of the clients that do not support it, and of those that support a part of it. */
  readonly unsupported: readonly string[];
  readonly partial: readonly string[];
}

/** Features by id: the name, and one letter for each client. */
export const supportFeatures: ReadonlyMap<string, { readonly title: string; readonly support: string }> =
  new Map(
    supportLines
      .trim()
      .split("\n")
      .map((line) => {
        const [id = "", support = "", ...title] = line.split(" ");
        return [id, { title: title.join(" "), support }];
      }),
  );

/** Whether a family of clients, such as `gmail`, or a client, such as `outlook/windows`, is known. */
export function isKnownClient(wanted: string): boolean {
  return supportClients.some(([id]) => id === wanted || id.startsWith(`${wanted}/`));
}

/** Returns how these clients support a feature; undefined if there is no data about it. */
export function supportOf(feature: string, clients: readonly string[]): FeatureSupport | undefined {
  const known = supportFeatures.get(feature);
  if (known === undefined) return undefined;
  const isWanted = (id: string) =>
    clients.includes(id) || (clients.includes(id.replace(/\/.*/, "")) && !retired.has(id));
  const having = (letter: string) =>
    supportClients.filter(([id], at) => known.support[at] === letter && isWanted(id)).map(([, name]) => name);
  return { title: known.title, unsupported: having("n"), partial: having("a") };
}

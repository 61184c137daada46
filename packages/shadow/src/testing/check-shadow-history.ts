/**
 * Returns the violations in a history of shadows; none if it is linearizable. Versions are consecutive, so that they define the
 * order: version n is at position 2n, its deletion at 2n + 1.
 *
 * - L1 a version has one write, and a write one version; L2 an operation that ended before another began precedes it;
 * - L3 a read shows a write that had begun, and shows nothing only where there may be nothing;
 * - L4 a write from version n makes n + 1; L5 a rejected write is never seen; L6 no version is left out.
 *
 * @example
 * expect(checkShadowHistory(operationsOf(history))).toEqual([]);
 */
export function checkShadowHistory(operations: readonly ShadowHistoryEntry[]): ShadowViolation[] {
  const byKey = new Map<string, ShadowHistoryEntry[]>();
  for (const each of operations) {
    const { key } = each.operation;
    byKey.set(key, [...(byKey.get(key) ?? []), each]);
  }
  return [...byKey].flatMap(([key, own]) => {
    const found = Object.entries(rules).flatMap(([rule, check]) =>
      [...check(own)].map((message) => ({ rule, key, message })),
    );
    return found;
  });
}

type Rule = (operations: readonly ShadowHistoryEntry[]) => Iterable<string>;

const rules: Readonly<Record<string, Rule>> = {
  L1: oneWriteAVersion,
  L2: realTimeOrder,
  L3: readsAreFresh,
  L4: versionsFollow,
  L5: rejectedAreNotSeen,
  L6: noneIsLeftOut,
};

type EntryOf<Kind extends ShadowHistoryOperation["kind"]> = ShadowHistoryEntry & {
  readonly operation: Extract<ShadowHistoryOperation, { kind: Kind }>;
};

function ofKind<Kind extends ShadowHistoryOperation["kind"]>(
  operations: readonly ShadowHistoryEntry[],
  kind: Kind,
): EntryOf<Kind>[] {
  return operations.filter((each): each is EntryOf<Kind> => each.operation.kind === kind);
}

/** The text of each reported version. */
function sightings(
  operations: readonly ShadowHistoryEntry[],
): { version: number; text: string; by: ShadowHistoryEntry }[] {
  return operations.flatMap((by) => {
    const version = by.outcome === "ok" ? by.value?.version : undefined;
    const text = by.operation.kind === "write" ? by.operation.text : by.value?.text;
    return version === undefined || text === undefined ? [] : [{ version, text, by }];
  });
}

function* oneWriteAVersion(operations: readonly ShadowHistoryEntry[]): Iterable<string> {
  const texts = new Map<number, string>();
  const versions = new Map<string, number>();
  for (const { version, text } of sightings(operations)) {
    const [other, place] = [texts.get(version) ?? text, versions.get(text) ?? version];
    if (other !== text) yield `version ${version} is ${other}, and ${text}`;
    if (place !== version) yield `${text} is version ${place}, and ${version}`;
    texts.set(version, text);
    versions.set(text, version);
  }
}

/** The position of an operation in the order of versions; undefined if unknown. */
function placeOf({ operation, outcome, value }: ShadowHistoryEntry): number | undefined {
  if (outcome !== "ok" || value?.version === undefined) return undefined;
  return operation.kind === "delete" ? 2 * value.version + 1 : 2 * value.version;
}

interface Placed {
  readonly each: ShadowHistoryEntry;
  readonly place: number;
}

function placed(operations: readonly ShadowHistoryEntry[]): Placed[] {
  return operations.flatMap((each) => {
    const place = placeOf(each);
    return place === undefined ? [] : [{ each, place }];
  });
}

function describe({ operation, value }: ShadowHistoryEntry): string {
  return `${operation.kind} ${value?.version ?? "of nothing"}`;
}

function* realTimeOrder(operations: readonly ShadowHistoryEntry[]): Iterable<string> {
  const all = placed(operations);
  const byEnd = all.toSorted((one, other) => one.each.ended - other.each.ended);
  let highest: Placed | undefined;
  let next = 0;
  for (const current of all.toSorted((one, other) => one.each.invoked - other.each.invoked)) {
    for (
      let before = byEnd[next];
      before !== undefined && before.each.ended < current.each.invoked;
      before = byEnd[++next]
    )
      if (highest === undefined || before.place > highest.place) highest = before;
    if (highest === undefined) continue;
    const changes = current.each.operation.kind !== "read";
    if (current.place < highest.place || (changes && current.place === highest.place))
      yield `${describe(current.each)} began after ${describe(highest.each)} had ended`;
  }
}

function* readsAreFresh(operations: readonly ShadowHistoryEntry[]): Iterable<string> {
  const writes = new Map(ofKind(operations, "write").map((each) => [each.operation.text, each]));
  const all = placed(operations);
  for (const read of ofKind(operations, "read")) {
    if (read.outcome !== "ok") continue;
    const text = read.value?.text;
    if (text === undefined) yield* absence(operations, all, read);
    else if ((writes.get(text)?.invoked ?? Number.POSITIVE_INFINITY) > read.ended)
      yield `${text} is read before it is written`;
  }
}

/** A read without a result is at the beginning, or after a deletion that may have happened there. */
function* absence(
  operations: readonly ShadowHistoryEntry[],
  all: readonly Placed[],
  read: ShadowHistoryEntry,
): Iterable<string> {
  const places = (within: (each: ShadowHistoryEntry) => boolean) =>
    all.filter(({ each }) => within(each)).map(({ place }) => place);
  const lowest = Math.max(0, ...places(({ ended }) => ended < read.invoked));
  const highest = Math.min(Number.POSITIVE_INFINITY, ...places(({ invoked }) => invoked > read.ended));
  const deletes = ofKind(operations, "delete").filter(({ invoked }) => invoked < read.ended);
  const mayBe = deletes.some((each) => {
    const place = placeOf(each);
    if (place !== undefined) return place >= lowest && place <= highest;
    return each.outcome === "unknown" && highest > lowest;
  });
  if (lowest > 0 && !mayBe) yield `nothing is read although position ${lowest} holds a version`;
}

function* versionsFollow(operations: readonly ShadowHistoryEntry[]): Iterable<string> {
  for (const { operation, outcome, value } of operations) {
    if (operation.kind === "read" || outcome !== "ok" || !operation.expected) continue;
    const wanted = operation.kind === "write" ? operation.expected + 1 : operation.expected;
    if (value?.version !== wanted)
      yield `a ${operation.kind} from ${operation.expected} is version ${value?.version}`;
  }
}

function* rejectedAreNotSeen(operations: readonly ShadowHistoryEntry[]): Iterable<string> {
  const rejected = new Set(
    ofKind(operations, "write")
      .filter(({ outcome }) => outcome === "rejected" || outcome === "conflict")
      .map(({ operation }) => operation.text),
  );
  for (const { text, version } of sightings(operations))
    if (rejected.has(text)) yield `${text} was rejected, and is version ${version}`;
}

function* noneIsLeftOut(operations: readonly ShadowHistoryEntry[]): Iterable<string> {
  const seen = new Set(sightings(operations).map(({ version }) => version));
  const highest = Math.max(0, ...seen);
  const missing = Array.from({ length: highest }, (_unused, at) => at + 1).filter(
    (version) => !seen.has(version),
  );
  const seenTexts = new Set(sightings(operations).map(({ text }) => text));
  const open = ofKind(operations, "write").filter(
    ({ outcome, operation }) => outcome === "unknown" && !seenTexts.has(operation.text),
  );
  if (missing.length > open.length)
    yield `versions ${missing.join(", ")} have no write, and only ${open.length} writes are unknown`;
}

/** An operation on a shadow in a history. `key` names the shadow, or the half that has a separate version. */
export type ShadowHistoryOperation =
  | {
      readonly kind: "write";
      readonly key: string;
      /** Identifies the write: unique in a history. */
      readonly text: string;
      /** The version that was expected; undefined for any, 0 for none. */
      readonly expected?: number;
    }
  | { readonly kind: "read"; readonly key: string }
  | { readonly kind: "delete"; readonly key: string; readonly expected?: number };

/** The result of an operation. */
export interface ShadowHistoryResult {
  /** The version that was written, read or deleted; undefined for a read without a result. */
  readonly version?: number;
  /** Of a read: the text of the write that it shows. */
  readonly text?: string;
}

/** One operation with its start and end, as testkit's `operationsOf` returns it. */
export interface ShadowHistoryEntry {
  readonly operation: ShadowHistoryOperation;
  readonly invoked: number;
  /** Infinite for one that never ended, or may still take effect. */
  readonly ended: number;
  readonly outcome: "ok" | "rejected" | "conflict" | "unknown";
  readonly value?: ShadowHistoryResult;
}

/** A rule that a history breaks. */
export interface ShadowViolation {
  /** L1 to L6. */
  readonly rule: string;
  readonly key: string;
  /** One line that describes the violation. */
  readonly message: string;
}

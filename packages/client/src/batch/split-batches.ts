/** An entry of a batch with what decides where a batch ends. */
export interface Slot<Entry> {
  readonly entry: Entry;
  readonly table: string;
  /** Equal for entries on the same item. */
  readonly identity: string;
  /** The bytes of the entry in the request. */
  readonly wireBytes: number;
}

export interface BatchLimits {
  readonly entries: number;
  readonly wireBytes: number;
  /** Whether one batch may name the same item twice. */
  readonly repeats: boolean;
}

/** `{"RequestItems":{}}` */
const envelopeBytes = 19;
/** `:[]` and a comma beside the name of a table. */
const tableBytes = 4;

/** Cuts a stream of entries into batches that each fit one request, in order. */
export async function* splitBatches<Entry>(
  slots: AsyncIterable<Slot<Entry>>,
  limits: BatchLimits,
): AsyncGenerator<Slot<Entry>[]> {
  let batch: Slot<Entry>[] = [];
  let bytes = envelopeBytes;
  const identities = new Set<string>();
  const tables = new Set<string>();
  for await (const slot of slots) {
    const full = batch.length >= limits.entries || bytes + cost(slot, tables) > limits.wireBytes;
    if (batch.length > 0 && (full || (!limits.repeats && identities.has(slot.identity)))) {
      yield batch;
      batch = [];
      bytes = envelopeBytes;
      identities.clear();
      tables.clear();
    }
    bytes += cost(slot, tables);
    batch.push(slot);
    identities.add(slot.identity);
    tables.add(slot.table);
  }
  if (batch.length > 0) yield batch;
}

/** The entry, its comma, and the frame of its table if it is the first of it. */
function cost(slot: Slot<unknown>, tables: ReadonlySet<string>): number {
  const frame = tables.has(slot.table) ? 0 : slot.table.length + 2 + tableBytes;
  return slot.wireBytes + 1 + frame;
}

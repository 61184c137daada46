/** Returns pages of sorted values. */
export type SortedPages<Value> = AsyncIterator<readonly Value[], void, undefined>;

interface Source<Value> {
  readonly pages: SortedPages<Value>;
  page: readonly Value[];
  at: number;
}

/**
 * Merges several sorted sources. `first` returns whether one value precedes another. The first pages are
 * fetched at once, later ones when they are needed. Ends the sources when the consumer stops.
 */
export async function* mergeSorted<Value>(
  sources: readonly SortedPages<Value>[],
  first: (one: Value, other: Value) => boolean,
): AsyncGenerator<Value, void, undefined> {
  try {
    const begun = await Promise.all(sources.map(begin));
    let live = begun.filter((source) => source !== undefined);
    while (live.length > 0) {
      let best = live[0] as Source<Value>;
      for (const source of live) if (first(headOf(source), headOf(best))) best = source;
      yield headOf(best);
      best.at++;
      if (best.at >= best.page.length && !(await nextPage(best))) live = live.filter((each) => each !== best);
    }
  } finally {
    await Promise.allSettled(sources.map(async (pages) => pages.return?.()));
  }
}

function headOf<Value>({ page, at }: Source<Value>): Value {
  return page[at] as Value;
}

async function begin<Value>(pages: SortedPages<Value>): Promise<Source<Value> | undefined> {
  const source: Source<Value> = { pages, page: [], at: 0 };
  return (await nextPage(source)) ? source : undefined;
}

/** Moves to the next non-empty page; false if there is none. */
async function nextPage<Value>(source: Source<Value>): Promise<boolean> {
  for (;;) {
    const { done, value } = await source.pages.next();
    if (done) return false;
    if (value.length === 0) continue;
    source.page = value;
    source.at = 0;
    return true;
  }
}

/** What came back over HTTP, not yet understood. */
export interface Answer {
  readonly status: number;
  /** The bytes as they came. The memory is used again for the next answer. */
  readonly body: Buffer;
  readonly headers: AnswerHeaders;
}

/** The headers that we look at. */
export interface AnswerHeaders {
  /** `x-amz-crc32`: checksum of the body as sent, decimal. */
  readonly crc32?: string;
  /** `x-amzn-requestid` */
  readonly requestId?: string;
  readonly date?: string;
  readonly contentEncoding?: string;
}

const wanted: ReadonlyMap<string, keyof AnswerHeaders> = new Map([
  ["x-amz-crc32", "crc32"],
  ["x-amzn-requestid", "requestId"],
  ["date", "date"],
  ["content-encoding", "contentEncoding"],
]);

const wantedLengths: ReadonlySet<number> = new Set([...wanted.keys()].map((name) => name.length));

/** Picks the headers that we look at out of the list of names and values as they came. */
export function readHeaders(raw: readonly Buffer[]): AnswerHeaders {
  const headers: { -readonly [Name in keyof AnswerHeaders]: AnswerHeaders[Name] } = {};
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = raw[i] as Buffer;
    if (!wantedLengths.has(name.length)) continue;
    const key = wanted.get(name.toString("latin1").toLowerCase());
    if (key !== undefined) headers[key] = (raw[i + 1] as Buffer).toString("latin1");
  }
  return headers;
}

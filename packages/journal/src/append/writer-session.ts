/** What a writer knows of its id. Changed only by the appends of that writer, one after the other. */
export interface WriterSession {
  readonly persistenceId: string;
  readonly writerUuid: string;
  /** The next number to give. */
  next: number;
  lowest: number;
  epoch: number;
  /** When marks and rows were last known to be as this session says, by the monotonic clock. */
  viewedAt: number;
  /** Whether the id has its row in the registry. */
  registered: boolean;
  /** Set once a write ended as conflict or unknown: this writer may not go on. */
  ended: boolean;
}

/** The bucketed layout, scaled down so that a short walk meets every border. */

/** Numbers a bucket. */
export const bucketSize = 4;
/** Event rows that fit into one transaction. */
export const transactionRows = 3;
/** Items over which the marks are spread. */
export const shards = 2;
/** How long tombstones stay, and how long a writer trusts its view, in ticks. */
export const tombstoneLife = 4;
export const viewLife = 2;

export const bucketOf = (number) => Math.floor(number / bucketSize);
export const eventKey = (number) => `P${number}`;
export const commitKey = (first) => `C${first}`;
export const writerKey = "W";
export const snapshotKey = (number) => `Z${number}`;
export const highMarkKey = (number) => `SH${bucketOf(number) % shards}`;
export const lowMarkKey = (number) => `SL${bucketOf(number) % shards}`;

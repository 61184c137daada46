import type { StreamRecord } from "./stream-record.ts";

/** 13 digits of the stream's own, then the number of the record in 12: always longer than DynamoDB's least of 21. */
const ownDigits = 13;
const countDigits = 12;

/** A record's sequence number. The records of a stream count from 1. */
export function sequenceNumber({ createdAt }: Pick<StreamRecord, "createdAt">, count: number): string {
  return String(createdAt).padStart(ownDigits, "0") + String(count).padStart(countDigits, "0");
}

/** The number of the record with this sequence number, or undefined if it is none of this stream. */
export function countOf(stream: Pick<StreamRecord, "createdAt">, text: string): number | undefined {
  const count = Number(text.slice(-countDigits));
  return sequenceNumber(stream, count) === text ? count : undefined;
}

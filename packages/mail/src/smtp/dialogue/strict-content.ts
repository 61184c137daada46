import { isAscii } from "node:buffer";
import { replies, type SmtpReply } from "./replies.ts";

/** Checks the content of a message by RFC 5321 and RFC 6152, piece by piece. */
export interface StrictContent {
  /** Returns the reply if something is wrong in this piece. */
  check(piece: Uint8Array): SmtpReply | undefined;
}

const carriageReturn = 0x0d;
const lineFeed = 0x0a;

/** RFC 5321, 4.5.3.1.6, without the line end. */
const longestLine = 998;

/** `eightBit`: whether MAIL announced characters that are not ASCII. */
export function strictContent(eightBit: boolean): StrictContent {
  /** Bytes of the line so far, without a CR at its end. */
  let line = 0;
  let afterCr = false;
  return {
    check(piece) {
      if (!eightBit && !isAscii(piece)) return replies.needsEightBit;
      for (const byte of piece) {
        if (afterCr !== (byte === lineFeed)) return replies.bareLineEnd;
        afterCr = byte === carriageReturn;
        if (byte === lineFeed) line = 0;
        else if (!afterCr && ++line > longestLine) return replies.dataLineTooLong;
      }
      return undefined;
    },
  };
}

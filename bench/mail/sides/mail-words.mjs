/** Messages of 10 KB: words of a vocabulary of 20,000 that is made up, in lines, chosen by the message's number. */

let state = 1;

/** A generator of numbers in [0, 2^32): xorshift. */
function next() {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return state >>> 0;
}

const syllables =
  "ba be bi bo bu da de di do du fa fe ga ge ka ke ki la le li lo ma me mi na ne ni no pa po ra re ri ro sa se si so ta te ti to tu va vi".split(
    " ",
  );

const vocabulary = Array.from({ length: 20_000 }, () => {
  const length = 1 + (next() % 4);
  return Array.from({ length }, () => syllables[next() % syllables.length]).join("");
});

/** @returns {Buffer} the message of this number, with an extra word if one is given */
export function mailWords(number, extra) {
  state = (number * 2_654_435_761 + 1) >>> 0 || 1;
  let body = "";
  let line = extra;
  while (body.length < 9700) {
    line += ` ${vocabulary[next() % vocabulary.length]}`;
    if (line.length < 70) continue;
    body += `${line}\r\n`;
    line = "";
  }
  const head = `From: Shop <shop@example.org>\r\nTo: user${number}@example.com\r\nSubject: Your order ${number}\r\n`;
  return Buffer.from(`${head}Message-ID: <${number}@example.org>\r\n\r\n${body}`);
}

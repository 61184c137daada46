/** 128 bits to start a generator from. */
export type SeedWords = [number, number, number, number];

/** Four lanes over the text, each with constants of its own, so that near seeds start far apart. */
export function seedWords(text: string): SeedWords {
  const words: SeedWords = [0x9e3779b9, 0x243f6a88, 0xb7e15162, 0xdeadbeef];
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    words[0] = Math.imul(words[0] ^ unit, 0x85ebca6b);
    words[1] = Math.imul(words[1] ^ unit, 0xc2b2ae35);
    words[2] = Math.imul(words[2] ^ unit, 0x27d4eb2f);
    words[3] = Math.imul(words[3] ^ unit, 0x165667b1);
    words.push(words.shift() as number);
  }
  return words.map(avalanche) as SeedWords;
}

/** Every bit of the word decides about half of the bits of the result. */
export function avalanche(word: number): number {
  let mixed = Math.imul(word ^ (word >>> 16), 0x21f0aaad);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}

import { setTimeout as pause } from "node:timers/promises";
import { seededRandom } from "@tablekeep/testkit";
import { startCart } from "./cart-process.ts";

/** One article to be added to one cart, once. */
interface Wish {
  readonly cart: string;
  readonly sku: string;
  acked: boolean;
}

interface CartView {
  readonly lines: readonly { readonly sku: string; readonly quantity: number }[];
}

/** The result of killing a server repeatedly. */
export interface KilledShop {
  readonly problems: readonly string[];
  readonly acked: number;
  /** Commands that were in flight when the process was killed. */
  readonly interrupted: number;
}

const lanes = 6;

/**
 * Starts a server, fills carts, and kills it at a random moment, repeatedly. Commands without a response
 * are sent again to the next process, with the same key. Finally, every article must be in its cart exactly once.
 */
export async function runKilledShop(
  program: string,
  args: readonly string[],
  kills: number,
  env: NodeJS.ProcessEnv = {},
): Promise<KilledShop> {
  const random = seededRandom(`kills ${kills}`);
  const wishes: Wish[] = [];
  const problems: string[] = [];
  let interrupted = 0;
  for (let round = 0; round <= kills; round++) {
    const shop = startCart(program, args, env);
    if (round < kills && random.chance(0.15)) {
      // While it starts.
      await pause(random.int(0, 250));
      await shop.kill();
      continue;
    }
    const url = await shop.url;
    if (url === undefined) throw new Error("the server does not start");
    const life = newLife(url);
    const customers = Array.from({ length: lanes }, (_unused, lane) =>
      customer(life, wishes, lane, round, round === kills, problems),
    );
    if (round === kills) {
      await Promise.all(customers);
      problems.push(...(await judge(url, wishes)));
      if ((await shop.stop()) !== 0) problems.push("the server did not exit with code 0");
      break;
    }
    // Counts commands instead of time, so that a slow machine also gets some work done.
    const enough = random.int(0, 30);
    await Promise.race([life.acked(enough), Promise.all(customers)]);
    await pause(random.int(0, 3));
    life.closing = true;
    await shop.kill();
    await Promise.all(customers);
    interrupted += wishes.filter(({ acked }) => !acked).length;
  }
  return { problems, acked: wishes.filter(({ acked }) => acked).length, interrupted };
}

/** One run of the process. */
interface Life {
  readonly url: string;
  closing: boolean;
  /** Counts a response. */
  count(): void;
  /** Resolves once this many commands have a response. */
  acked(enough: number): Promise<void>;
}

function newLife(url: string): Life {
  let acks = 0;
  let check: () => void = () => undefined;
  return {
    url,
    closing: false,
    count() {
      acks++;
      check();
    },
    acked: (enough) =>
      new Promise((resolve) => {
        check = () => acks >= enough && resolve();
        check();
      }),
  };
}

/** Repeats the open commands, then adds new articles until the server ends. */
async function customer(
  life: Life,
  wishes: Wish[],
  lane: number,
  round: number,
  last: boolean,
  problems: string[],
): Promise<void> {
  for (const wish of wishes.filter((each, at) => !each.acked && at % lanes === lane)) {
    if (!(await send(life, wish, problems))) return;
  }
  for (let count = 0; !last && !life.closing && count < 90; count++) {
    // Two lanes share a cart, so that their commands are written together.
    const wish = { cart: `c-${round}-${lane >> 1}`, sku: `s-${lane}-${count}`, acked: false };
    wishes.push(wish);
    if (!(await send(life, wish, problems))) return;
    if (count >= 49) return;
  }
}

async function send(life: Life, wish: Wish, problems: string[]): Promise<boolean> {
  const command = { type: "add", sku: wish.sku, quantity: 1, cents: 100 };
  try {
    const answer = await fetch(`${life.url}/carts/${wish.cart}`, {
      method: "POST",
      headers: { "idempotency-key": wish.sku },
      body: JSON.stringify(command),
    });
    const { lines } = (await answer.json()) as CartView;
    if (answer.status !== 200) throw new Error(`status ${answer.status}`);
    if (lines.find(({ sku }) => sku === wish.sku)?.quantity !== 1)
      problems.push(`${wish.cart} ${wish.sku}: the reply does not show it once`);
    wish.acked = true;
    life.count();
    return true;
  } catch {
    return false;
  }
}

async function judge(url: string, wishes: readonly Wish[]): Promise<string[]> {
  const problems: string[] = [];
  for (const cart of new Set(wishes.map((wish) => wish.cart))) {
    const { lines } = (await (await fetch(`${url}/carts/${cart}`)).json()) as CartView;
    const wished = wishes.filter((wish) => wish.cart === cart);
    for (const { sku, acked } of wished) {
      const quantity = lines.find((line) => line.sku === sku)?.quantity ?? 0;
      if (!acked) problems.push(`${cart} ${sku}: never acked`);
      if (quantity !== 1) problems.push(`${cart} ${sku}: in the cart ${quantity} times`);
    }
    if (lines.length !== wished.length) problems.push(`${cart}: ${lines.length} lines of ${wished.length}`);
  }
  return problems;
}

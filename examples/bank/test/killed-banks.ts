import { setTimeout as pause } from "node:timers/promises";
import { seededRandom } from "@tablekeep/testkit";
import { type BankProcess, startBank } from "./bank-process.ts";

/** A transfer that a customer wants, once. */
export interface Wish {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly cents: number;
  acked: boolean;
}

/** Accounts with what they are opened with. "nobody" is never opened, so transfers to it are paid back. */
export const accounts: Readonly<Record<string, number>> = { ann: 1000, ben: 500, cy: 2000, dee: 0 };
const names = [...Object.keys(accounts), "nobody"];

type Random = ReturnType<typeof seededRandom>;

/** Several processes of the bank on one endpoint. */
export interface Banks {
  readonly running: readonly BankProcess[];
  /** Kills one of them, and starts another in its place. */
  replace(at: number): Promise<void>;
  /** Stops all of them, and returns their exit codes. */
  stop(): Promise<readonly (number | null)[]>;
}

export function startBanks(program: string, endpoint: string, count: number): Banks {
  const start = () => startBank(program, ["--endpoint", endpoint]);
  const running = Array.from({ length: count }, start);
  return {
    running,
    async replace(at) {
      const killed = running[at];
      running[at] = start();
      await killed?.kill();
    },
    async stop() {
      // One that has not started yet has nothing to end its work with.
      await Promise.all(running.map(({ url }) => url));
      return Promise.all(running.map((bank) => bank.stop()));
    },
  };
}

/**
 * Begins transfers at random banks, and kills one bank at a random moment, again and again. What got no answer is sent again,
 * to any of them. Returns once all transfers are acknowledged.
 */
export async function transferAndKill(
  banks: Banks,
  { kills, transfersPerKill }: { readonly kills: number; readonly transfersPerKill: number },
): Promise<{ readonly wishes: readonly Wish[]; readonly interrupted: number }> {
  const random = seededRandom(`bank ${kills}`);
  const wishes: Wish[] = [];
  let interrupted = 0;
  for (const [name, cents] of Object.entries(accounts)) {
    while (!(await post(banks, random, `/accounts/${name}`, { type: "open", cents }))) await pause(20);
  }
  const begin = async (wish: Wish) => {
    const { id, from, to, cents } = wish;
    wish.acked ||= await post(banks, random, `/transfers/${id}`, { type: "begin", from, to, cents });
  };
  const beginAll = () => Promise.all(wishes.filter(({ acked }) => !acked).map(begin));
  for (let kill = 0; kill < kills; kill++) {
    for (let at = 0; at < transfersPerKill; at++) wishes.push(newWish(random, `t-${kill}-${at}`));
    const sent = beginAll();
    await pause(random.int(0, 60));
    await banks.replace(random.int(0, banks.running.length - 1));
    await sent;
    interrupted += wishes.filter(({ acked }) => !acked).length;
  }
  while (wishes.some(({ acked }) => !acked)) await beginAll();
  return { wishes, interrupted };
}

/** Returns the balance that a bank shows. */
export async function balanceOf({ running }: Banks, account: string): Promise<number> {
  const response = await fetch(`${await running[0]?.url}/accounts/${account}`);
  return ((await response.json()) as { cents: number }).cents;
}

/** Returns the read model that a bank shows. */
export async function balancesOf({ running }: Banks): Promise<{ account: string; cents: number }[]> {
  const response = await fetch(`${await running[0]?.url}/balances`);
  return (await response.json()) as { account: string; cents: number }[];
}

/** Sends a command to a random bank. Returns whether it was carried out. */
async function post({ running }: Banks, random: Random, path: string, body: object): Promise<boolean> {
  const url = await running[random.int(0, running.length - 1)]?.url;
  const response = await fetch(`${url}${path}`, { method: "POST", body: JSON.stringify(body) }).catch(
    () => undefined,
  );
  // An account that is already open was opened by a request that got no answer.
  return response?.status === 200 || (path.startsWith("/accounts") && response?.status === 409);
}

function newWish(random: Random, id: string): Wish {
  const from = random.int(0, names.length - 1);
  const to = (from + random.int(1, names.length - 1)) % names.length;
  // Some are more than there is.
  const cents = random.int(1, 600);
  return { id, from: names[from] ?? "", to: names[to] ?? "", cents, acked: false };
}

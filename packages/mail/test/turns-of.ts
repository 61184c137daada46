/** The result of some work, and the turns of the event loop that it took. */
export async function turnsOf<Result>(
  work: () => Promise<Result>,
): Promise<{ turns: number; result: Result }> {
  let turns = 0;
  let isRunning = true;
  const count = () => {
    turns++;
    if (isRunning) setImmediate(count);
  };
  setImmediate(count);
  const result = await work();
  isRunning = false;
  return { turns, result };
}

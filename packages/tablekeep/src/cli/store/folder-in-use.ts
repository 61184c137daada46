/** Runs `work`. If another process has the folder open, its error says what to do here: `advice`. */
export async function adviseInUse<Result>(work: Promise<Result>, advice: string): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    const { EngineError, isEngineError } = await import("@tablekeep/engine");
    if (!isEngineError(error, "ENGINE_FOLDER_LOCKED")) throw error;
    const { path, pid, host, endpoint } = error.details;
    const where = endpoint === undefined ? "" : `, which serves it at ${endpoint}`;
    throw new EngineError(
      "ENGINE_FOLDER_LOCKED",
      `folder ${path} is open in process ${pid} on ${host}${where}: ${advice}`,
      error.details,
      { cause: error },
    );
  }
}

/** For a second server on a folder. */
export const serveAdvice = "stop that process, or serve another folder with --data";

import { ClientError } from "./client-error.ts";

/**
 * Loads an optional package when it is first needed. `load` holds the literal `import()`, so that bundlers see it.
 * A package that is not installed gives one error that says how to install it.
 */
export async function loadPackage<Module>(name: string, load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (error) {
    if (!isNotFound(error)) throw error;
    throw new ClientError(
      "CLIENT_PACKAGE_MISSING",
      `the package ${name} is needed for this and is not installed: npm install ${name}`,
      { package: name },
      { cause: error },
    );
  }
}

function isNotFound(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  // With a `url`, the package is there and one of its own files is missing.
  return code === "ERR_MODULE_NOT_FOUND" && !(error instanceof Error && "url" in error);
}

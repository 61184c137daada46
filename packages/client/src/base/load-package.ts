import { ClientError } from "./client-error.ts";

/**
 * Handles an optional package that cannot be loaded: `import("name").catch(packageMissing("name"))`. One that is not
 * installed throws one error that says how to install it. The `catch` right behind the literal `import()` marks for bundlers
 * that the package is optional: they bundle it if it is installed, and otherwise resolve it at run time.
 */
export function packageMissing(name: string): (error: unknown) => never {
  return (error) => {
    if (!isNotFound(error)) throw error;
    throw new ClientError(
      "CLIENT_PACKAGE_MISSING",
      `optional package ${name} is not installed: run npm install ${name}`,
      { package: name },
      { cause: error },
    );
  };
}

function isNotFound(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  // With a `url`, the package is installed, but one of its files is missing.
  return code === "ERR_MODULE_NOT_FOUND" && !(error instanceof Error && "url" in error);
}

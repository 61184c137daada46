/**
 * The root of this package, which holds its package.json and the built console. This is the one file that asks where it lies:
 * two folders down in `src`, in `dist` and in the bundled program (`dist/program`).
 */
export const packageFolder: URL = new URL("../../", import.meta.url);
